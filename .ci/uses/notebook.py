"""The notebook runs from first to last cell, draws both plots, and prints what its page shows."""

import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

path = Path(os.environ["ROOT"], "docs", "notebooks", "work_orders.ipynb")
notebook = nbformat.read(path, as_version=4)
os.environ["PYTHONWARNINGS"] = "default"  # of the kernel: they would be outputs, and are looked for below
NotebookClient(notebook, timeout=90, kernel_name="python3").execute()
shown = path.with_suffix(".md").read_text(encoding="utf-8")
outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
plots = [output for output in outputs if "image/png" in output.get("data", {})]
printed = [output.text for output in outputs if output.get("name") == "stdout"]
assert len(plots) == 2, outputs
assert all(len(plot.data["image/png"]) > 5_000 for plot in plots)
assert printed
assert [text for text in printed if text not in shown] == []
assert not [output for output in outputs if output.get("name") == "stderr"], outputs
