"""The notebook runs from first to last cell, draws both plots, and prints what its page shows."""

import json
import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

path = Path(os.environ["ROOT"], "docs", "notebooks", "work_orders.ipynb")
notebook = nbformat.read(path, as_version=4)
os.environ["PYTHONWARNINGS"] = "default"  # of the kernel: they would be outputs, and are looked for below
NotebookClient(notebook, timeout=90, kernel_name="python3").execute()
shown = json.loads(path.with_suffix(".results.json").read_text(encoding="utf-8"))
outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
plots = [output for output in outputs if "image/png" in output.get("data", {})]
printed = {
    cell.id: "".join(output.text for output in cell.outputs if output.get("name") == "stdout")
    for cell in notebook.cells
    if cell.cell_type == "code"
}
assert len(plots) == 2, outputs
assert all(len(plot.data["image/png"]) > 5_000 for plot in plots)
assert {name: text for name, text in printed.items() if text}.items() <= shown.items(), printed
assert any(printed.values()), printed
assert not [output for output in outputs if output.get("name") == "stderr"], outputs
