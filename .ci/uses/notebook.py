"""The notebook runs from its first cell to its last, and draws both of its plots."""

import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

path = Path(os.environ["ROOT"], "docs", "notebooks", "work_orders.ipynb")
notebook = nbformat.read(path, as_version=4)
os.environ["PYTHONWARNINGS"] = "default"  # of the kernel: they would be outputs, and are looked for below
NotebookClient(notebook, timeout=90, kernel_name="python3").execute()
outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
plots = [output for output in outputs if "image/png" in output.get("data", {})]
printed = "".join(output.text for output in outputs if output.get("name") == "stdout")
assert len(plots) == 2, outputs
assert all(len(plot.data["image/png"]) > 5_000 for plot in plots)
assert "days" in printed, printed
assert not [output for output in outputs if output.get("name") == "stderr"], outputs
