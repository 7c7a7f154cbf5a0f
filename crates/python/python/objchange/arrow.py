"""Changes and findings of many plans as columns, for pyarrow, DuckDB, Polars and pandas.

One row is one change: ``file``, ``address``, ``module``, ``mode``, ``type``, ``name``, ``key``, ``provider``, ``actions``, ``reason``,
``changed_paths``, ``before`` and ``after`` (JSON without what is sensitive), ``has_unknown``, ``has_sensitive`` and ``error``.
With ``of="findings"`` one row is one finding: ``file``, ``address``, ``kind``, ``severity``, ``message`` and ``error``. A finding is
a check that did not pass, or why a plan may not show everything that happens.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._objchange import ChangeStream, files_below

if TYPE_CHECKING:
    import pyarrow

    from ._objchange import _Schemas

__all__ = ["ChangeStream", "files", "read", "stream"]

_Path: TypeAlias = str | os.PathLike[str]


def files(paths: _Path | Iterable[_Path]) -> list[Path]:
    """The files that are meant: a path itself, the ``*.json``, ``*.jsonl`` and ``*tfplan`` files in a folder and the folders in
    it, and what a pattern such as ``plans/*.json`` finds; in order.

    Raises `FileNotFoundError` where a pattern or a folder has none, and `OSError` where a folder cannot be read.
    """
    found: list[Path] = []
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        name = os.fspath(path)
        if os.path.isdir(name):
            these = files_below(Path(name), (".json", ".jsonl", "tfplan"))
        elif glob.has_magic(name) and not os.path.exists(name):
            these = sorted(Path(file) for file in glob.glob(name, recursive=True))
        else:
            these = [Path(name)]
        if not these:
            raise FileNotFoundError(f"there are no plans: {name}")
        found += these
    return found


def stream(
    paths: _Path | Iterable[_Path],
    *,
    of: Literal["changes", "drift", "outputs", "findings"] = "changes",
    schemas: _Schemas | None = None,
    errors: Literal["raise", "rows"] = "raise",
) -> ChangeStream:
    """The changes or findings of plans as an Arrow stream, which needs no pyarrow: ``polars.from_arrow`` and others take it
    as it is.

    A file has one plan, or one a line; plan files of ``terraform plan -out`` are read, too. ``errors="rows"`` makes a plan that cannot be read a row with ``file`` and ``error``;
    otherwise it ends the stream with an exception. So do plans whose planning failed, and parts of plans; both have findings.

    Raises `OptionError`, `SchemaError` and `FileNotFoundError`.
    """
    return ChangeStream(files(paths), of=of, schemas=schemas, errors=errors)


def read(
    paths: _Path | Iterable[_Path],
    *,
    of: Literal["changes", "drift", "outputs", "findings"] = "changes",
    schemas: _Schemas | None = None,
    errors: Literal["raise", "rows"] = "raise",
) -> pyarrow.RecordBatchReader:
    """The stream as a ``pyarrow.RecordBatchReader``: it needs pyarrow 15 or later. No value becomes an object of Python on the way.

    Raises as `stream`, and `ImportError` without pyarrow.
    """
    import pyarrow

    reader: Any = pyarrow.RecordBatchReader.from_stream(stream(paths, of=of, schemas=schemas, errors=errors))
    return reader
