"""A plugin for pytest: one test for a provider itself, and one for each of its types and functions.

``pytest --objchange-provider ./terraform-provider-x`` tests it against its contract with Terraform, and shows the smallest
configuration that breaks it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from ._conform import arguments_of
from ._program import run

_TRIED: Final = pytest.StashKey[bool]()
_SKIPPED: Final = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("objchange", "providers of Terraform")
    group.addoption("--objchange-provider", action="append", default=[], metavar="BINARY", help="test this provider")
    group.addoption("--objchange-hints", metavar="FILE", help="values to try (see schema/hints.schema.json)")
    group.addoption("--objchange-cases", type=int, default=100, metavar="N", help="the most configurations of a type")
    group.addoption(
        "--objchange-only", action="append", default=[], metavar="GLOB", help="test only these types and functions"
    )
    group.addoption("--objchange-apply", action="store_true", help="also create, change and destroy objects")


class Broken(Exception):
    """A provider breaks its contract: the message is the report."""


class ProviderFile(pytest.File):
    """A provider."""

    def collect(self) -> Iterator[ProviderItem]:
        yield ProviderItem.from_parent(self, name="provider")
        for kind, name in self._subjects():
            yield ProviderItem.from_parent(self, name=f"{kind}:{name}")

    def _subjects(self) -> list[tuple[str, str]]:
        """The kind and name of each type and function. ``conform`` also lists those whose schema cannot be read, which
        ``provider schema`` leaves out."""
        options = arguments_of(hints=self.config.getoption("--objchange-hints"), cases=0)
        _, text, message = run(["conform", "--json", *options, "--", os.fspath(self.path)])
        try:
            types = json.loads(text)["types"]
        except ValueError:
            raise pytest.UsageError(message) from None
        return [(of["subject"], of["name"]) for of in types if of["subject"] != "provider"]


class ProviderItem(pytest.Item):
    """A provider itself, or a type or function of it."""

    def runtest(self) -> None:
        kind, _, name = self.name.partition(":")
        options = arguments_of(
            only=name or (),
            kinds=kind,
            hints=self.config.getoption("--objchange-hints"),
            apply=self.config.getoption("--objchange-apply"),
            cases=self.config.getoption("--objchange-cases"),
        )
        arguments = ["conform", *options, "--", os.fspath(self.path)]
        code, text, message = run(arguments)
        if code == 2 and (reason := _skipped(arguments)):
            self.config.stash[_SKIPPED] = True
            pytest.skip(reason)
        self.config.stash[_TRIED] = True
        if code != 0:
            raise Broken(f"{text}\n{message}".strip())

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        if isinstance(excinfo.value, Broken):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.name} {self.name}"


def _skipped(arguments: list[str]) -> str | None:
    """Why nothing was tried, if hints say so or the type is only tried with ``--objchange-apply``."""
    _, text, _ = run([arguments[0], "--json", *arguments[1:]])
    try:
        report: dict[str, Any] = json.loads(text)
    except ValueError:
        return None
    (of,) = report["types"] if len(report["types"]) == 1 else ({},)
    was_tried = report["not_configured"] or of.get("samples") != 0 or of["findings"]
    return None if was_tried else of["skipped"]


def _chooses(glob: str, name: str) -> bool:
    """Whether the program would choose this name by ``--only``."""
    pattern = re.escape(glob).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(pattern, name, re.DOTALL) is not None


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    yield
    only = config.getoption("--objchange-only")
    binaries = config.getoption("--objchange-provider")
    if only and not binaries:
        raise pytest.UsageError("--objchange-only chooses nothing without --objchange-provider")
    chosen: set[str] = set()
    for binary in binaries:
        tests = list(ProviderFile.from_parent(session, path=Path(binary).resolve()).collect())
        if only:
            names = {test: test.name.partition(":")[2] for test in tests if ":" in test.name}
            tests = [test for test, name in names.items() if any(_chooses(glob, name) for glob in only)]
            chosen |= {glob for glob in only for name in names.values() if _chooses(glob, name)}
            if not tests:
                raise pytest.UsageError(f"{binary} has no type or function that --objchange-only names")
        items.extend(tests)
    for glob in only:
        if glob not in chosen:
            raise pytest.UsageError(f"no provider has a type or function that --objchange-only={glob} names")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    # A run that tried nothing of a provider has not tested it.
    stash = session.config.stash
    if exitstatus == 0 and stash.get(_SKIPPED, False) and not stash.get(_TRIED, False):
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
