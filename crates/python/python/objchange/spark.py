"""Plans on Spark 4: ``spark.read.format("objchange").load("plans/")`` has one row a change or finding, and `policies` judges
the plans.

It needs ``pyspark[sql]`` 4, and the package on every worker. Files are read by the workers, so that each must see
them under the same path.
"""

from __future__ import annotations

import functools
import gzip
import itertools
import json
import os
import re
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final, TypeAlias, cast

import pyarrow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, BooleanType, DataType, StringType, StructField, StructType

from . import arrow
from ._errors import DocumentError, DocumentWarning, Error, OptionError
from ._objchange import ChangeStream, Plan, PolicyResult, Schemas
from .policy import FAIL, PASS, UNDECIDED, compile_rego, compile_sentinel, rego_texts

__all__ = ["WARN", "PlanSource", "policies", "register"]

WARN: Final = "WARN"
"""The verdict of a rule that fails and does not count: ``warn`` in Rego, an advisory policy in Sentinel."""

_Path: TypeAlias = str | os.PathLike[str]

_TEXT: Final = pyarrow.string()
# Spark names the items of a list `element`.
_TEXTS: Final = pyarrow.list_(pyarrow.field("element", _TEXT))
_JUDGED: Final = pyarrow.schema(
    [
        ("file", _TEXT),
        ("language", _TEXT),
        ("rule", _TEXT),
        ("level", _TEXT),
        ("binds", pyarrow.bool_()),
        ("verdict", _TEXT),
        ("findings", pyarrow.list_(pyarrow.field("element", pyarrow.struct([("address", _TEXT), ("message", _TEXT)])))),
        ("waits_for", _TEXTS),
        ("excepted", pyarrow.bool_()),
        ("error", _TEXT),
    ]
)


# The metadata of the column `file`: the kind of the rows. Spark keeps it when rows are filtered, selected or stored.
_ROWS_OF: Final = "objchange.of"


def _for_spark(type_: Any) -> DataType:
    """Spark's type for one of Arrow."""
    if pyarrow.types.is_list(type_):
        return ArrayType(_for_spark(type_.value_type))
    if pyarrow.types.is_struct(type_):
        return _columns(type_)
    return BooleanType() if pyarrow.types.is_boolean(type_) else StringType()


def _columns(schema: Iterable[Any], of: str | None = None) -> StructType:
    def column(field: Any) -> StructField:
        metadata = {_ROWS_OF: of} if of is not None and field.name == "file" else None
        return StructField(field.name, _for_spark(field.type), metadata=metadata)

    return StructType([column(field) for field in schema])


def _rows_schema(of: str) -> pyarrow.Schema:
    """The columns of these rows, as Spark has them in Arrow."""
    schema = pyarrow.RecordBatchReader.from_stream(ChangeStream([], of=cast(Any, of))).schema
    return pyarrow.schema([(field.name, _TEXTS if pyarrow.types.is_list(field.type) else field.type) for field in schema])

# Opening a file costs about as much as reading so many bytes: files of a few bytes do not make a split of millions of them.
_OPENING: Final = 16 << 10
_SPLIT: Final = 32 << 20
_ROWS: Final = 1_000


class _Split(InputPartition):
    """Files, or a part of the lines of one."""

    def __init__(self, paths: list[str], lines: tuple[int, int, int] | None = None) -> None:
        super().__init__((paths, lines))
        self.paths = paths
        self.lines = lines


class PlanSource(DataSource):
    """Changes or findings of plans as a source of data, ``objchange``. A plan without changes has a row with only its ``file``.

    The path is a file, a folder or a pattern, and there may be several. Options: ``of`` (``changes``, ``drift``, ``outputs`` or
    ``findings``), ``schemas`` (a path), ``errors`` (``rows``, the default: a plan that cannot be read is a row with its error; or ``raise``) and
    ``splitBytes`` (how much a worker reads at a time, 32 MiB).
    """

    @classmethod
    def name(cls) -> str:
        return "objchange"

    def schema(self) -> StructType:
        options = {key.lower(): value for key, value in self.options.items()}
        of = options.get("of", "changes")
        return _columns(_rows_schema(of), of)

    def reader(self, schema: StructType) -> DataSourceReader:
        return _Reader(dict(self.options))


class _Reader(DataSourceReader):
    def __init__(self, options: Mapping[str, str]) -> None:
        options = {key.lower(): value for key, value in options.items()}
        # Spark hands over one path as `path`, and several as `paths`, a list in JSON.
        given = [*json.loads(options.get("paths", "[]")), *([options["path"]] if "path" in options else [])]
        if not given:
            raise OptionError("there is no path: call load() with one", kind="path")
        self.paths = [re.sub("^file:(//)?(?=/)", "", path) for path in given]
        self.of = cast(Any, options.get("of", "changes"))
        self.errors = cast(Any, options.get("errors", "rows"))
        self.schemas = options.get("schemas")
        try:
            self.split = int(options.get("splitbytes", _SPLIT))
        except ValueError:
            self.split = 0
        if self.split < 1:
            raise OptionError("splitBytes is a number of bytes", kind="splitBytes")
        # Wrong options are an error here, before any worker starts.
        ChangeStream([], of=self.of, schemas=self._schemas(), errors=self.errors)

    def _schemas(self) -> Schemas | None:
        return None if self.schemas is None else _load_schemas(self.schemas)

    def partitions(self) -> list[InputPartition]:
        return list(_splits(arrow.files(self.paths), self.split))

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        assert isinstance(partition, _Split)
        paths = [Path(path) for path in partition.paths]
        stream = ChangeStream(
            paths,
            of=self.of,
            schemas=self._schemas(),
            errors=self.errors,
            lines=partition.lines,
            every_plan=self.of == "changes",
        )
        schema = _rows_schema(self.of)
        for batch in pyarrow.RecordBatchReader.from_stream(stream):
            columns = zip(batch.columns, schema.types, strict=True)
            yield pyarrow.RecordBatch.from_arrays([column.cast(type_) for column, type_ in columns], schema=schema)


# A worker reads many splits, and the schemas once.
@functools.lru_cache(maxsize=4)
def _load_schemas(path: str) -> Schemas:
    return Schemas.load(path)


def _splits(files: Iterable[Path], most: int) -> Iterator[_Split]:
    """Files side by side up to so many bytes, and a file of more than that by itself, or by its lines."""
    together: list[str] = []
    size = 0
    for file in files:
        try:
            length = file.stat().st_size
        except OSError:
            # The worker that reads the file says why it cannot be read.
            length = 0
        if length > most:
            yield from _splits_of(str(file), most)
            continue
        if together and size + length + _OPENING > most:
            yield _Split(together)
            together, size = [], 0
        together.append(str(file))
        size += length + _OPENING
    if together:
        yield _Split(together)


def _splits_of(path: str, most: int) -> Iterator[_Split]:
    """The parts of a file that holds a plan a line; all of any other."""
    try:
        bounds = list(_bounds(path, most))
    except OSError:
        bounds = []
    if bounds:
        yield from (_Split([path], bound) for bound in bounds)
    else:
        yield _Split([path])


def _bounds(path: str, most: int) -> Iterator[tuple[int, int, int]]:
    """From where up to where in the file, and the number of the first line of each part; nothing if it is one document."""
    with open(path, "rb") as file:
        lines = (line for line in file if line.strip())
        first = next(lines, b"")
        try:
            # A file with a byte order mark, as UTF-16 has, is no JSON here, and so is not split.
            json.loads(first.decode())
        except ValueError:
            return
        if next(lines, None) is None:
            return
        file.seek(0)
        start, first_line, position, line = 0, 1, 0, 1
        while chunk := file.read(1 << 20):
            # A part ends at the first line that ends behind it.
            at = 0
            while position + len(chunk) - start > most:
                begin = max(at, start + most - position)
                end = chunk.find(b"\n", begin)
                if end < 0:
                    break
                line += chunk.count(b"\n", at, end + 1)
                at = end + 1
                yield start, position + at, first_line
                start, first_line = position + at, line
            line += chunk.count(b"\n", at)
            position += len(chunk)
        if position > start:
            yield start, position, first_line


def register(spark: SparkSession) -> None:
    """Makes ``spark.read.format("objchange")`` known, where Spark does not find it by itself."""
    spark.dataSource.register(PlanSource)


def policies(
    plans: DataFrame,
    *,
    sentinel: _Path | Iterable[_Path] | None = None,
    rego: _Path | Iterable[_Path] | Mapping[str, str] | None = None,
    data: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
    timeout: float = 60.0,
) -> DataFrame:
    """Judges plans by policies, on all workers: one row a plan and rule.

    ``plans`` has a column ``file``, as ``spark.read.format("objchange")`` makes it: each plan that it names is read and judged once.
    Where a row has an ``error``, the plan is not judged. Or ``plans`` has ``path`` and ``content``, as Spark's ``binaryFile`` does,
    with a plan in each row.

    Columns are ``file``, ``language`` (``rego`` or ``sentinel``), ``rule``, ``level``, ``binds``, ``verdict`` (``PASS``, ``WARN``,
    ``FAIL`` or ``UNDECIDED``), ``findings``, ``waits_for``, ``excepted`` and ``error``. What ``warn`` rules of Rego and advisory
    policies of Sentinel find is a ``WARN``: they do not bind. A plan that cannot be read or judged is a row with its
    ``error``, no ``rule``, and the verdict ``UNDECIDED``. No rule passes for an incomplete plan: it is ``UNDECIDED``, too.

    ``data``, ``params`` and ``timeout`` are as for `objchange.policy`.

    Raises `PolicyError` where a text is no policy or there is none, and `OptionError` without policies or such columns, and for
    rows of drift, outputs or findings, which do not name each plan.
    """
    if rego is not None:
        # Workers get the texts alone. Errors in the files are raised here, with their names.
        compile_rego(rego, data=data, timeout=timeout)
    judge = _Judge(
        rego=None if rego is None else tuple(rego_texts(rego)[0]),
        sentinel=None if sentinel is None else tuple(_absolute(sentinel)),
        data=None if data is None else json.dumps(data),
        params=None if params is None else json.dumps(params),
        timeout=timeout,
    )
    if not judge.judges():
        raise OptionError("policies are in rego or sentinel: hand over one of them", kind="policies")
    if {"path", "content"} <= set(plans.columns):
        return plans.select("path", "content").mapInArrow(judge.contents, _columns(_JUDGED))
    if "file" not in plans.columns:
        raise OptionError("the plans have a column file, or path and content", kind="columns")
    of = plans.schema["file"].metadata.get(_ROWS_OF, "changes")
    if of != "changes":
        raise OptionError(f"rows of {of} do not name each plan: load the plans without the option `of`", kind="columns")
    error = F.col("error").cast("string") if "error" in plans.columns else F.lit(None).cast("string")
    files = plans.groupBy("file").agg(F.max(error).alias("error"))
    # Spark makes tasks by the size of rows. These are only names of large files, and would all be one task.
    return files.repartition(_parallelism(plans.sparkSession), "file").mapInArrow(judge.files, _columns(_JUDGED))


def _parallelism(spark: SparkSession) -> int:
    try:
        return 4 * int(spark.sparkContext.defaultParallelism)
    except Exception:
        # A session of Spark Connect has no `sparkContext`.
        return 64


def _absolute(paths: _Path | Iterable[_Path]) -> list[str]:
    listed = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    return [os.path.abspath(path) for path in listed]


class _Judge:
    """Policies that a worker compiles once."""

    def __init__(
        self,
        rego: tuple[tuple[str, str], ...] | None,
        sentinel: tuple[str, ...] | None,
        data: str | None,
        params: str | None,
        timeout: float,
    ) -> None:
        self.key = (rego, sentinel, data, params, timeout)

    def judges(self) -> list[tuple[str, Callable[[Plan], PolicyResult]]]:
        """The functions that judge a plan, each with its language."""
        return _compile(*self.key)

    def contents(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Judges batches of paths and contents."""

        def plans() -> Iterator[tuple[str, Callable[[], Plan]]]:
            for batch in batches:
                for path, content in zip(batch.column("path"), batch.column("content"), strict=True):
                    yield path.as_py(), functools.partial(_of_content, content)

        return self._batches(plans())

    def files(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Judges batches of names of files and lines, each with the error of who has read it."""
        names: list[str] = []
        failed: list[tuple[str | None, Callable[[], Plan]]] = []
        for batch in batches:
            for name, error in zip(batch.column("file").to_pylist(), batch.column("error").to_pylist(), strict=True):
                if name is None:
                    error = error or "there is no name of a file"
                if error is None:
                    names.append(name)
                else:
                    failed.append((name, functools.partial(_failing, DocumentError(error, kind="unreadable", file=name))))
        return self._batches(itertools.chain(failed, _plans(names)))

    def _batches(self, plans: Iterable[tuple[str | None, Callable[[], Plan]]]) -> Iterator[pyarrow.RecordBatch]:
        rows: list[dict[str, Any]] = []
        for name, load in plans:
            rows += self._rows(name, load)
            if len(rows) >= _ROWS:
                yield pyarrow.RecordBatch.from_pylist(rows, schema=_JUDGED)
                rows = []
        if rows:
            yield pyarrow.RecordBatch.from_pylist(rows, schema=_JUDGED)

    def _rows(self, name: str | None, load: Callable[[], Plan]) -> Iterator[dict[str, Any]]:
        try:
            plan = load()
        except (Error, OSError) as error:
            yield {"file": name, "verdict": UNDECIDED, "error": _message(error)}
            return
        # Nobody sees a warning of a worker, so an incomplete plan must not pass.
        is_incomplete = plan.complete is False and not plan.simulated
        for language, judge in self.judges():
            try:
                rules = judge(plan).rules
            except Error as error:
                yield {"file": name, "language": language, "verdict": UNDECIDED, "error": _message(error)}
                continue
            for rule in rules:
                findings = [{"address": address, "message": message} for address, message in rule.findings]
                verdict, reason = rule.verdict, rule.error
                if is_incomplete and verdict == PASS:
                    verdict, reason = UNDECIDED, "the plan is incomplete: there may be more changes after it is applied"
                shown = WARN if verdict == FAIL and not rule.binds else verdict
                yield {
                    "file": name,
                    "language": language,
                    "rule": rule.name,
                    "level": rule.level,
                    "binds": rule.binds,
                    "verdict": shown,
                    "findings": findings,
                    "waits_for": rule.waits_for,
                    "excepted": rule.excepted,
                    "error": reason,
                }


def _message(error: Exception) -> str:
    return error.message if isinstance(error, Error) else f"cannot be read: {getattr(error, 'strerror', None) or error}"


@functools.lru_cache(maxsize=8)
def _compile(
    rego: tuple[tuple[str, str], ...] | None,
    sentinel: tuple[str, ...] | None,
    data: str | None,
    params: str | None,
    timeout: float,
) -> list[tuple[str, Callable[[Plan], PolicyResult]]]:
    judges: list[tuple[str, Callable[[Plan], PolicyResult]]] = []
    if rego is not None:
        compiled = compile_rego(dict(rego), data=None if data is None else json.loads(data), timeout=timeout)
        judges.append(("rego", compiled.judge))
    if sentinel is not None:
        set_ = compile_sentinel(sentinel, params=None if params is None else json.loads(params), timeout=timeout)
        judges.append(("sentinel", set_.judge))
    return judges


def _of_content(content: Any) -> Plan:
    value = content.as_py()
    if value is None:
        raise DocumentError("there is no content", kind="no_content")
    return _load(value.encode() if isinstance(value, str) else value)


def _load(source: _Path | bytes) -> Plan:
    """A plan with no other text around it: it could be the rest of a second one, and nobody sees the warning of a worker."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DocumentWarning)
        try:
            return Plan.load(source)
        except DocumentWarning as warning:
            raise DocumentError(str(warning), kind="other_text") from None


def _plans(names: Iterable[str]) -> Iterator[tuple[str, Callable[[], Plan]]]:
    """The plans with these names: a file, or a file and a line of it. Each file is read once."""
    lines: dict[str, dict[int, str]] = {}
    for name in names:
        match = re.fullmatch(r"(.+):([1-9][0-9]*)", name, re.DOTALL)
        if match is None or os.path.exists(name):
            yield name, functools.partial(_load, name)
        else:
            lines.setdefault(match[1], {})[int(match[2])] = name
    for path, wanted in lines.items():
        yield from _plans_on_lines(path, dict(wanted))


def _plans_on_lines(path: str, wanted: dict[int, str]) -> Iterator[tuple[str, Callable[[], Plan]]]:
    problem: Exception = DocumentError("there is no such line", kind="no_line", file=path)
    try:
        with open(path, "rb") as file:
            head = file.read(2)
        unpacking: Any = gzip.open if head == b"\x1f\x8b" else open
        with unpacking(path, "rb") as file:
            is_utf16 = file.read(2) in (b"\xff\xfe", b"\xfe\xff")
        opened: IO[Any] = unpacking(path, "rt", encoding="utf-16", newline="\n") if is_utf16 else unpacking(path, "rb")
        with opened:
            for number, line in enumerate(opened, 1):
                if (name := wanted.pop(number, None)) is not None:
                    yield name, functools.partial(_load, line.encode() if isinstance(line, str) else line)
    except (OSError, UnicodeError, EOFError, zlib.error) as error:
        problem = DocumentError(_message(error), kind="unreadable", file=path)
    # Each wanted line gets a row: the lines that are left do not exist, or reading failed before them.
    for name in wanted.values():
        yield name, functools.partial(_failing, problem)


def _failing(problem: Exception) -> Plan:
    raise problem
