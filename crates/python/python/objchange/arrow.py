"""Changes and findings of many plans as columns, for pyarrow, DuckDB, Polars and pandas.

One row is one change: ``file``, ``address``, ``module``, ``mode``, ``type``, ``name``, ``key``, ``deposed``, ``provider``,
``actions``, ``reason``, ``changed_paths``, ``replace_paths``, ``before`` and ``after`` (JSON without what is sensitive),
``has_unknown``, ``has_sensitive``, ``terraform_version``, ``time`` and ``error``. With ``of="findings"`` one row is one finding:
``file``, ``address``, ``kind``, ``severity``, ``message``, ``terraform_version``, ``time`` and ``error``. A finding is a check that
did not pass, or why a plan may not show everything that happens.
"""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._errors import Error
from ._objchange import ChangeStream, files_below
from ._program import run

if TYPE_CHECKING:
    import pyarrow

    from ._objchange import _Schemas

__all__ = ["ChangeStream", "files", "read", "roots", "stream"]

# What a plan does, as the columns of `roots` count it.
_COUNTS = (
    "create", "read", "update", "replace", "create_then_forget", "forget_then_create", "delete", "forget", "move", "import",
    "unknown", "defer", "invoke", "outputs", "drift",
)

# How the names of plans end.
_ENDINGS = tuple(f"{name}{packed}" for name in (".json", ".jsonl", "tfplan") for packed in ("", ".gz"))

_Path: TypeAlias = str | os.PathLike[str]


def files(paths: _Path | Iterable[_Path]) -> list[Path]:
    """The files that are meant: a path itself, the ``*.json``, ``*.jsonl`` and ``*tfplan`` files in a folder and the folders in
    it, packed by gzip (``*.json.gz``) or not, and what a pattern such as ``plans/*.json`` finds; in order.

    Raises `FileNotFoundError` where a pattern or a folder has none, and `OSError` where a folder cannot be read.
    """
    found: list[Path] = []
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        name = os.fspath(path)
        if os.path.isdir(name):
            these = files_below(Path(name), _ENDINGS)
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
    mask: str | Iterable[str] = (),
) -> ChangeStream:
    """The changes or findings of plans as an Arrow stream, which needs no pyarrow: ``polars.from_arrow``, DuckDB and others take
    it as it is, as often as they want. The plans are read each time.

    A file has one plan, or one a line, packed by gzip or not; plan files of ``terraform plan -out`` are read, too. ``errors="rows"`` makes a plan that cannot be read a row with ``file`` and ``error``;
    otherwise it ends the stream with an exception. So do plans whose planning failed, and parts of plans; both have findings. ``mask`` is
    that of `load`.

    Raises `OptionError`, `SchemaError` and `FileNotFoundError`.
    """
    return ChangeStream(files(paths), of=of, schemas=schemas, errors=errors, mask=mask)


def read(
    paths: _Path | Iterable[_Path],
    *,
    of: Literal["changes", "drift", "outputs", "findings"] = "changes",
    schemas: _Schemas | None = None,
    errors: Literal["raise", "rows"] = "raise",
    mask: str | Iterable[str] = (),
) -> pyarrow.RecordBatchReader:
    """The stream as a ``pyarrow.RecordBatchReader``: it needs pyarrow 15 or later. No value becomes an object of Python on the way.

    Raises as `stream`, and `ImportError` without pyarrow.
    """
    import pyarrow

    reader: Any = pyarrow.RecordBatchReader.from_stream(stream(paths, of=of, schemas=schemas, errors=errors, mask=mask))
    return reader


def roots(
    directories: _Path | Iterable[_Path] = ".",
    *,
    schemas: _Path | Iterable[_Path] = (),
    var_files: _Path | Iterable[_Path] = (),
    no_state: bool = False,
    timeout: float | None = None,
) -> pyarrow.Table:
    """A row for each root module in the directories and below, as ``objchange plan --all --json`` plans them: it needs pyarrow.

    The columns are ``directory``, ``outcome`` (``unchanged``, ``configured``, ``changed``, ``error`` or ``unusable``), a count for
    each action, ``missing`` (``kind``, ``address``, ``source`` and ``version`` of what a plan was made without), ``errors`` and
    ``problem``. Counts are null where there is no plan.

    Raises `Error` where the directories cannot be planned, and ``subprocess.TimeoutExpired``.
    """
    import pyarrow

    text = pyarrow.string()
    missing = pyarrow.struct([(name, text) for name in ("kind", "address", "source", "version")])
    schema = pyarrow.schema(
        [
            ("directory", text),
            ("outcome", text),
            *((name, pyarrow.int64()) for name in _COUNTS),
            ("missing", pyarrow.list_(missing)),
            ("errors", pyarrow.list_(text)),
            ("problem", text),
        ]
    )

    def each(paths: _Path | Iterable[_Path]) -> list[str]:
        return [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]

    arguments = ["plan", "--all", "--json"]
    arguments += [word for path in each(schemas) for word in ("--schemas", path)]
    arguments += [word for path in each(var_files) for word in ("--var-file", path)]
    arguments += ["--no-state"] if no_state else []
    _, printed, said = run([*arguments, "--", *each(directories)], timeout)
    lines = [json.loads(line) for line in printed.splitlines()]
    # A module that cannot be planned has a line as well. Without any, nothing could be looked at.
    if not lines:
        raise Error(said or "there are no root modules", kind="roots")

    def row(line: dict[str, Any]) -> dict[str, Any]:
        counts = line.get("counts") or {}
        return {
            **{name: line.get(name) for name in ("directory", "outcome", "problem")},
            **{name: counts.get(name) for name in _COUNTS},
            "missing": [{name: one.get(name) for name in ("kind", "address", "source", "version")} for one in line.get("missing", [])],
            "errors": line.get("errors", []),
        }

    return pyarrow.Table.from_pylist([row(line) for line in lines], schema=schema)
