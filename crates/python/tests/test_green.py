"""Green means checked: what cannot be read, chosen, evaluated or decided raises, or is undecided."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import change, plan_text

import objchange
from objchange import arrow, policy

REGO = {"p.rego": 'package main\ndeny contains rc.address if { some rc in input.tfplan.resource_changes; "delete" in rc.change.actions }\n'}
SENTINEL = 'import "tfplan/v2" as tfplan\nmain = rule { all tfplan.resource_changes as _, rc { rc.change.actions is not ["delete"] } }\n'
ONE = change("disk.a", ["create"], None, {"size": 1})
PLANNED = {"root_module": {"resources": [{"address": "disk.a", "mode": "managed", "type": "disk", "name": "a", "values": {"size": 1}}]}}

# Each is no whole plan, and the kind of the error.
PARTIAL = {
    "errored": plan_text(ONE, errored=True),
    "lacks_changes": json.dumps({"format_version": "1.2", "terraform_version": "1.9.0", "planned_values": PLANNED}),
    "unknown_action": plan_text(ONE, change("disk.b", ["archive"], {"size": 1}, None), planned_values=PLANNED),
}


@pytest.fixture
def sentinel(tmp_path: Path) -> Path:
    path = tmp_path / "p.sentinel"
    path.write_text(SENTINEL)
    return path


@pytest.fixture
def judges(sentinel: Path) -> list[Callable[[objchange.Plan], Any]]:
    """All that says something of the changes of a plan."""
    return [
        lambda plan: policy.rego(plan, REGO),
        lambda plan: policy.sentinel(plan, sentinel),
        lambda plan: objchange.query(plan, 'rc.change.actions == ["delete"]'),
        lambda plan: objchange.query(plan, 'rc.name == "x"', of="outputs"),
    ]


@pytest.mark.parametrize("kind", PARTIAL)
def test_plans_that_are_not_whole(kind: str, judges: list[Callable[[objchange.Plan], Any]]) -> None:
    plan = objchange.Plan.load(PARTIAL[kind].encode())
    for judge in judges:
        with pytest.raises(objchange.DocumentError) as caught:
            judge(plan)
        assert caught.value.kind == kind
    # This is not about changes.
    if kind != "errored":
        objchange.query(plan, 'rc.type == "disk"', of="planned")


def test_an_incomplete_plan_is_said_to_be(judges: list[Callable[[objchange.Plan], Any]]) -> None:
    plan = objchange.Plan.load(plan_text(ONE, complete=False).encode())
    for judge in judges:
        with pytest.warns(objchange.DocumentWarning, match="incomplete"):
            judge(plan)
    whole = objchange.Plan.load(plan_text(ONE, complete=True).encode())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for judge in judges:
            judge(whole)


def test_a_state_is_no_plan() -> None:
    for text in (b'{"format_version":"1.0"}', b'{"format_version":"1.0","values":{"root_module":{}}}', b'{"version":4,"serial":1,"lineage":"x"}'):
        with pytest.raises(objchange.DocumentError):
            objchange.Plan.load(text)
        with pytest.raises(objchange.DocumentError):
            objchange.query(objchange.State.load(text), "true")


@pytest.mark.parametrize("choice", [{"rules": ["nosuch"]}, {"packages": ["nosuch"]}, {"rules": ["deny", "nosuch"]}, {"packages": ["main", "nosuch"]}])
def test_choices_that_choose_nothing(choice: dict[str, list[str]]) -> None:
    with pytest.raises(objchange.PolicyError):
        policy.compile_rego(REGO, **choice)  # type: ignore[arg-type]


def test_folders_without_policies_or_plans(tmp_path: Path) -> None:
    plan = objchange.Plan.load(plan_text(ONE).encode())
    (tmp_path / "notes.txt").write_text("none")
    (tmp_path / "only_test.rego").write_text("package main\n")
    for judge in (policy.rego, policy.sentinel):
        with pytest.raises(objchange.PolicyError):
            judge(plan, tmp_path)
        with pytest.raises((objchange.PolicyError, OSError)):
            judge(plan, tmp_path / "gone")
        with pytest.raises(objchange.PolicyError):
            judge(plan, [])
    with pytest.raises(FileNotFoundError):
        arrow.files(tmp_path)
    with pytest.raises(objchange.PolicyError):
        policy.compile_rego({"helper.rego": "package main\nhelper := 1\n"})


def test_files_in_folders_are_not_passed_over(tmp_path: Path) -> None:
    """A name in capitals, a rule among tests and a link out of the folder are said."""
    plans, policies = tmp_path / "plans", tmp_path / "policies"
    plans.mkdir()
    policies.mkdir()
    (plans / "a.json").write_text(plan_text(ONE))
    (plans / "b.jsonl").write_text(plan_text(ONE))
    assert [file.name for file in arrow.files(plans)] == ["a.json", "b.jsonl"]
    (policies / "p.rego").write_text(REGO["p.rego"])
    plan = objchange.Plan.load(plan_text(change("disk.a", ["delete"], {}, None)).encode())
    assert policy.rego(plan, policies).verdict == "FAIL"
    (policies / "q_test.rego").write_text("package main\ntest_a if { count(deny) == 0 }\n")
    assert policy.rego(plan, policies).verdict == "FAIL"
    (policies / "q_test.rego").write_text("package main\ndeny contains 1 if { true }\n")
    with pytest.raises(objchange.PolicyError, match="file of tests"):
        policy.compile_rego(policies)
    policy.compile_rego(policies / "q_test.rego")
    (policies / "q_test.rego").unlink()
    for folder, name in ((plans, "C.JSON"), (policies, "P.REGO")):
        (folder / name).write_text("")
        with pytest.raises(OSError, match="capital letters"):
            arrow.files(plans) if folder == plans else policy.compile_rego(policies)
        (folder / name).unlink()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "c.json").write_text("{")
    (outside / "q.rego").write_text(REGO["p.rego"])
    for folder in (plans, policies):
        (folder / "link").symlink_to(outside)
    with pytest.raises(OSError, match="link"):
        arrow.files(plans)
    with pytest.raises(OSError, match="link"):
        policy.compile_rego(policies)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all folders")
def test_a_folder_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(plan_text(ONE))
    (tmp_path / "p.rego").write_text(REGO["p.rego"])
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    with pytest.raises(OSError, match="closed"):
        arrow.files(tmp_path)
    with pytest.raises(OSError, match="closed"):
        policy.compile_rego(tmp_path)


def test_columns_lose_no_plan(tmp_path: Path) -> None:
    texts = {**PARTIAL, "cut": plan_text(ONE)[:50], "empty": "", "null": "null", "state": '{"format_version":"1.0"}'}
    del texts["unknown_action"]
    for name, text in texts.items():
        path = tmp_path / f"{name}.json"
        path.write_text(text)
        pyarrow = pytest.importorskip("pyarrow")
        with pytest.raises(pyarrow.ArrowException):
            arrow.read(path).read_all()
        (row,) = arrow.read(path, errors="rows").read_all().to_pylist()
        assert row["error"], name


def test_a_function_that_fails_is_said() -> None:
    text = "package main\ndeny contains rc.address if { some rc in input.tfplan.resource_changes; to_number(rc.change.after.size) > 5 }\n"
    plan = objchange.Plan.load(plan_text(change("disk.a", ["create"], None, {"size": "much"})).encode())
    result = policy.rego(plan, {"p.rego": text})
    assert result.verdict == "PASS" and len(result.warnings) == 1 and "p.rego:2" in result.warnings[0]
    assert policy.rego(objchange.Plan.load(plan_text(ONE).encode()), {"p.rego": text}).warnings == []


def test_options_with_wrong_values() -> None:
    plan = objchange.Plan.load(plan_text(ONE).encode())
    for call in (
        lambda: policy.rego(plan, REGO, timeout=-1),
        lambda: policy.rego(plan, REGO, timeout=float("nan")),
        lambda: objchange.query(plan, "true", of="nosuch"),  # type: ignore[arg-type]
        lambda: objchange.query(plan, "true", timeout=-1),
    ):
        with pytest.raises(objchange.OptionError):
            call()
    for text in ("rc.nosuch == 1", 'rc.type == "nosuch" &&', "1"):
        with pytest.raises(objchange.QueryError):
            objchange.query(plan, text)
