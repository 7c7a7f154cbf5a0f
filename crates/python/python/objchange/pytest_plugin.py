"""A plugin for pytest: one test for each type of a provider.

``pytest --objchange-provider ./terraform-provider-x`` tests it against its contract with Terraform, and shows the smallest
configuration that breaks it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ._conform import arguments_of
from ._program import run

# As the schemas of a provider call them, and as the program does.
_KINDS = {"resource_schemas": "resource", "data_source_schemas": "data_source"}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("objchange", "providers of Terraform")
    group.addoption("--objchange-provider", action="append", default=[], metavar="BINARY", help="test this provider")
    group.addoption("--objchange-hints", metavar="FILE", help="values to try (see schema/hints.schema.json)")
    group.addoption("--objchange-cases", type=int, default=100, metavar="N", help="the most configurations of a type")
    group.addoption("--objchange-only", action="append", default=[], metavar="GLOB", help="test only these types")
    group.addoption("--objchange-apply", action="store_true", help="also create, change and destroy objects")


class Broken(Exception):
    """A provider breaks its contract: the message is the report."""


class ProviderFile(pytest.File):
    """A provider."""

    def collect(self) -> Iterator[ProviderItem]:
        code, text, message = run(["provider", "schema", "--", os.fspath(self.path)])
        if code != 0:
            raise self.CollectError(message)
        only = self.config.getoption("--objchange-only")
        unmatched = set(only)
        for schemas in json.loads(text)["provider_schemas"].values():
            for key, kind in _KINDS.items():
                for name in schemas.get(key, {}):
                    matching = {glob for glob in only if Path(name).match(glob)}
                    unmatched -= matching
                    if not only or matching:
                        yield ProviderItem.from_parent(self, name=f"{kind}:{name}")
        if unmatched:
            raise pytest.UsageError(f"{self.path} has no type that --objchange-only {min(unmatched)} names")


class ProviderItem(pytest.Item):
    """A type of a provider."""

    def runtest(self) -> None:
        kind, _, name = self.name.partition(":")
        options = arguments_of(
            only=name,
            kinds=kind,
            hints=self.config.getoption("--objchange-hints"),
            apply=self.config.getoption("--objchange-apply"),
            cases=self.config.getoption("--objchange-cases"),
        )
        code, text, message = run(["conform", *options, "--", os.fspath(self.path)])
        if code != 0:
            raise Broken(f"{text}\n{message}".strip())

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        if isinstance(excinfo.value, Broken):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.name} {self.name}"


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    yield
    for binary in config.getoption("--objchange-provider"):
        file = ProviderFile.from_parent(session, path=Path(binary).resolve())
        tests = list(file.collect())
        if not tests:
            raise pytest.UsageError(f"{binary} has no type that --objchange-only names")
        items.extend(tests)
