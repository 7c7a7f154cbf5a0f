"""Reviews of plans and tests of modules, by the program that the package has inside."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ._errors import ConfigurationError, Error
from ._program import run

_Path: TypeAlias = str | os.PathLike[str]
_Paths: TypeAlias = _Path | Iterable[_Path]


def _listed(paths: _Paths) -> list[str]:
    return [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]


def _options(**options: _Paths | bool | int | None) -> list[str]:
    """The options of the program with these names; several where there are several values."""
    arguments: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            arguments.append(option)
        elif value is None or value is False:
            continue
        elif isinstance(value, int):
            arguments.append(f"{option}={value}")
        else:
            arguments += [f"{option}={text}" for text in _listed(value)]
    return arguments


def _errors(message: str) -> list[str]:
    """The errors among what the program says, with the names of arguments in place of its options."""
    usage = re.split(r"\n\n(?:Usage:|For more information)", message)[0]
    errors = [part.strip() for part in re.split(r"^(?=(?:error|warning|note): )", usage, flags=re.M)]
    errors = [error.removeprefix("error: ") for error in errors if not error.startswith(("warning: ", "note: "))]
    named = [re.sub(r"'?--([a-z][a-z-]*)(?:[ =]<[^>]*>)?(?:\.\.\.)?'?", _argument, error) for error in errors if error]
    return named


def _argument(option: re.Match[str]) -> str:
    name = option[1].replace("-", "_")
    return "var_files" if name == "var_file" else name


@dataclass(frozen=True)
class ReviewReport:
    """A report about plans."""

    accepted: bool
    """Nothing refuses a plan: ``objchange review`` exits with 0."""
    document: dict[str, Any]
    """The report as data, in the form of ``schema/review.schema.json``; ``{}`` for a page."""
    page: str
    """The report as a page; ``""`` for data."""
    problems: tuple[str, ...] = ()
    """Why plans could not be reviewed. The report names them, has the other plans, and is not accepted."""


def review(
    plans: _Paths,
    *,
    rego: _Paths = (),
    sentinel: _Paths = (),
    fail_on: str | Iterable[str] = (),
    key: _Path | None = None,
    ignore: str | Iterable[str] = (),
    mask: str | Iterable[str] = (),
    no_drift: bool = False,
    skip_unreadable: bool = False,
    schemas: _Paths = (),
    commit: str | None = None,
    format: Literal["json", "markdown", "html", "text"] = "json",
    platform: Literal["github", "gitlab", "azure", "bitbucket"] = "github",
    title: str | None = None,
    link: str | None = None,
    marker: str | None = None,
    max_length: int | None = None,
    timeout: float | None = None,
) -> ReviewReport:
    """Writes one report about plans, as ``objchange review`` does: files, folders of them, and directories of modules to plan.

    ``rego`` and ``sentinel`` are policies, ``fail_on`` has conditions such as ``"delete"``, ``key`` is the file with the key of
    approval hashes, ``mask`` has globs of names whose values are hidden, and ``timeout`` is in seconds.

    Where a plan cannot be read, the report says so and is not accepted, unless ``skip_unreadable``. Raises `Error` where there is no
    report: a policy or an argument cannot be used; and ``subprocess.TimeoutExpired``.

    >>> report = review("examples/approval/approved.json", fail_on="delete")
    >>> report.accepted, report.document["plans"][0]["refused"]
    (False, ['1 to destroy'])
    """
    arguments = _options(
        rego=rego,
        sentinel=sentinel,
        fail_on=fail_on,
        key=key,
        ignore=ignore,
        mask=mask,
        no_drift=no_drift,
        skip_unreadable=skip_unreadable,
        schemas=schemas,
        commit=commit,
        format=format,
        platform=platform,
        title=title,
        link=link,
        marker=marker,
        max_length=max_length,
    )
    code, text, message = run(["review", *arguments, "--", *_listed(plans)], timeout)
    errors = _errors(message)
    if code not in (0, 1) and not text:
        raise Error("\n".join(errors) or "the plans cannot be reviewed", kind="review")
    is_data = format == "json"
    document, page = (json.loads(text), "") if is_data else ({}, text)
    return ReviewReport(code == 0, document, page, tuple(errors) if code not in (0, 1) else ())


@dataclass(frozen=True)
class TestRun:
    """A run of a test file."""

    __test__ = False

    path: str
    """The test file."""
    run: str
    """The name of the run."""
    status: str
    """``"pass"``, ``"fail"``, ``"error"``, ``"skip"`` or ``"undecided"``."""


@dataclass(frozen=True)
class TestReport:
    """The results of the tests of a module."""

    __test__ = False

    passed: bool
    """All runs pass: ``objchange test`` exits with 0."""
    undecided: bool
    """Nothing fails, and something is undecided."""
    runs: tuple[TestRun, ...]
    """The runs, in order."""
    messages: tuple[dict[str, Any], ...]
    """All messages, as ``terraform test -json`` writes them."""


def run_tests(
    directory: _Path = ".",
    *,
    filter: _Paths = (),
    test_directory: _Path | None = None,
    schemas: _Paths = (),
    var_files: _Paths = (),
    strict: bool = False,
    three_valued: bool = False,
    seed: int = 0,
    timeout: float | None = None,
) -> TestReport:
    """Runs the tests of a module without its providers, as ``objchange test`` does.

    ``filter`` has test files to run alone. ``strict`` fails where values are made up for providers that nothing mocks, and
    where no run is left; with ``three_valued`` what depends on unknown values is undecided and no error. ``timeout`` is in seconds.

    Raises `ConfigurationError` where the input cannot be used, and ``subprocess.TimeoutExpired``.
    """
    arguments = _options(
        filter=filter,
        test_directory=test_directory,
        schemas=schemas,
        var_file=var_files,
        strict=strict,
        three_valued=three_valued,
        seed=seed,
    )
    code, text, message = run(["test", "--json", *arguments, "--", os.fspath(directory)], timeout)
    if code not in (0, 1, 3):
        raise ConfigurationError("\n".join(_errors(message)) or "the tests cannot be run", kind="test", file=os.fspath(directory))
    messages = tuple(json.loads(line) for line in text.splitlines())
    ran = [one["test_run"] for one in messages if one.get("type") == "test_run"]
    runs = tuple(TestRun(one["path"], one["run"], one["status"]) for one in ran if one.get("status"))
    return TestReport(code == 0, code == 3, runs, messages)
