"""The notebooks print what they show."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def outputs(notebook: Any) -> list[Any]:
    return [[dict(output) for output in cell.outputs] for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("file", sorted((REPOSITORY / "examples/notebooks").glob("*.ipynb")), ids=lambda file: file.name)
def test_notebooks_print_what_they_show(file: Path) -> None:
    """With `UPDATE_NOTEBOOKS=1` what they print is written to them."""
    notebook: Any = nbformat.read(file, as_version=4)
    shown = outputs(notebook)
    resources = {"metadata": {"path": str(REPOSITORY)}}
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    if os.environ.get("UPDATE_NOTEBOOKS") == "1":
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        notebook.metadata.pop("language_info", None)
        nbformat.write(notebook, file)
    else:
        assert outputs(notebook) == shown and any(shown)
