"""The examples of the documentation do what they say."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, SCHEMAS, change, plan_text

import objchange

PLAN = plan_text(
    change(
        "disk.a",
        ["create"],
        None,
        {"size": 10, "token": "x"},
        after_unknown={"id": True},
        after_sensitive={"token": True},
    )
)

SCHEMA = objchange.Schema.from_providers(SCHEMAS, "disk")


@pytest.fixture
def names(tmp_path: Path) -> dict[str, Any]:
    """The names that the examples know."""
    path = tmp_path / "plan.json"
    path.write_text(PLAN)
    known = dict(public())
    return {**known, "objchange": objchange, "plan": objchange.Plan.load(path), "plan_path": path, "schema": SCHEMA}


def public() -> list[tuple[str, Any]]:
    modules = [objchange, objchange.hcl, objchange.policy]
    return [(name, getattr(module, name)) for module in modules for name in module.__all__]


def documented() -> list[tuple[str, str]]:
    found = [("objchange", objchange.__doc__ or "")]
    for name, thing in public():
        members = vars(thing).items() if inspect.isclass(thing) else ()
        texts = [(name, thing), *((f"{name}.{member}", value) for member, value in members)]
        found += [(name, doc) for name, value in texts if (doc := inspect.getdoc(value)) and ">>>" in doc]
    return found


@pytest.mark.parametrize(("name", "text"), documented(), ids=lambda name: name.split("\n")[0])
def test_examples_in_docstrings(
    name: str, text: str, names: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(REPOSITORY)
    examples = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples)
    assert result.failed == 0 and result.attempted > 0


@pytest.mark.parametrize("file", ["docs/python.md", "README.md"])
def test_examples_in_documents(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    result = doctest.testfile(str(REPOSITORY / file), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0 and result.attempted > 0
