"""The engine gives the same answers through Python as in cases."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Literal

import pytest
from conftest import REPOSITORY, SCHEMAS

import objchange
from objchange import UNKNOWN, Schema, Sensitive, Set

CASES = sorted([*(REPOSITORY / "tests/cases").glob("*.jsonl"), *(REPOSITORY / "tests/vectors").glob("*.jsonl")])


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_cases_pass(path: Any) -> None:
    lines = [line for line in path.read_text().split("\n") if line.strip()]
    failed = [result for line in lines if not (result := objchange.run_case(line)).passed]
    assert lines and not failed, [(result.id, result.message) for result in failed]


def test_a_case_that_is_none_and_one_that_fails() -> None:
    assert objchange.run_case("{").outcome == "unusable"
    assert objchange.run_case('{"op":"dance","want":{}}').outcome == "unknown_operation"
    failed = objchange.run_case('{"id":"x","op":"action_for_change","type":"number","before":1,"after":2,"want":{"action":"noop"}}')
    assert (failed.passed, failed.id) == (False, "x") and "update" in (failed.message or "")


class Inexpressible(Exception):
    """Refinements of unknown values, which Python's objects do not have."""


def decoded(value: Any) -> Any:
    """A value of a case as Python has it."""
    match value:
        case {"$unknown": promises, **others} if not others:
            if promises:
                raise Inexpressible
            return UNKNOWN
        case {"$sensitive": content, **others} if not others:
            return Sensitive(decoded(content))
        case {"$literal": content, **others} if not others:
            return {key: decoded(member) for key, member in content.items()}
        case {"$ephemeral": _}:
            raise Inexpressible
        case dict():
            return {key: decoded(member) for key, member in value.items()}
        case list():
            return [decoded(element) for element in value]
        case _:
            return value


def plain(value: Any) -> Any:
    """The value without marks and sets, which only the schema tells."""
    match value:
        case Sensitive():
            return plain(value.reveal())
        case dict():
            return {key: plain(member) for key, member in value.items()}
        case list() | Set():
            return [plain(element) for element in value]
        case _:
            return value


def cases(operation: str) -> list[dict[str, Any]]:
    found = []
    for path in CASES:
        for line in path.read_text().split("\n"):
            case = json.loads(line, parse_float=Decimal) if f'"{operation}"' in line else {}
            if case.get("op") == operation:
                found.append(case)
    return found


def schema_of(case: dict[str, Any]) -> Schema:
    schema = case["schema"]
    return Schema.parse(json.dumps(schema.get("block", schema)))


def errors(violations: list[objchange.Violation]) -> list[tuple[str, str]]:
    return [(violation.kind, violation.path) for violation in violations]


@pytest.mark.parametrize("operation", ["assert_plan_valid", "assert_object_compatible", "proposed_new"])
def test_vectors_through_python(operation: str) -> None:
    compared, other = 0, []
    for case in cases(operation):
        # Where Terraform crashes there is nothing to compare; values without a type are written with theirs.
        if "panic" in case["want"] or "error" in case["want"] or '"dynamic"' in json.dumps(case["schema"]):
            continue
        try:
            names = ("prior", "config", "planned", "actual")
            objects = {name: decoded(case[name]) for name in names if name in case}
            schema = schema_of(case)
            if operation == "proposed_new":
                got: Any = plain(objchange.proposed_new(schema, objects["prior"], objects["config"]))
                want: Any = plain(schema.coerce(decoded(case["want"]["value"])))
            elif operation == "assert_plan_valid":
                got = len(objchange.assert_plan_valid(schema, objects["prior"], objects["config"], objects["planned"]))
                want = len(case["want"]["errors"])
            else:
                got = len(objchange.assert_object_compatible(schema, objects["planned"], objects["actual"]))
                want = len(case["want"]["errors"])
        except (Inexpressible, objchange.SchemaError):
            continue
        compared += 1
        if got != want:
            other.append((case.get("id"), got, want))
    assert compared > 25 and not other, (compared, other)


def schema() -> Schema:
    return Schema.from_providers(SCHEMAS)


def test_schemas_are_found() -> None:
    assert Schema.from_providers(SCHEMAS, "disk").names == ["id", "ports", "size", "token"]
    assert objchange.Schemas.load(SCHEMAS).schema("disk").version == 0
    with pytest.raises(objchange.SchemaError, match="did you mean disk") as missing:
        Schema.from_providers(SCHEMAS, "dsik")
    assert missing.value.kind == "no_such_type"
    with pytest.raises(objchange.SchemaError):
        Schema.from_providers(SCHEMAS, "disk", mode="data")
    with pytest.raises(objchange.OptionError):
        Schema.from_providers(SCHEMAS, "disk", mode="other")  # type: ignore[arg-type]
    with pytest.raises(objchange.SchemaError) as broken:
        Schema.parse('{"attributes":\n7}')
    assert (broken.value.line, broken.value.kind) == (2, "malformed")


def test_a_change_is_planned() -> None:
    created = objchange.plan_change(schema(), None, {"size": Decimal("1.5"), "ports": [2, 1, 2]})
    assert created.action == "create" and created.before is None
    assert created.after["id"] is UNKNOWN and created.after["size"] == Decimal("1.5")
    assert list(created.after["ports"]) == [1, 2] and created.violations == []
    assert 'resource "disk" "a"' in created.text("disk.a")
    prior = {"id": "d-1", "size": 1}
    assert objchange.plan_change(schema(), prior, {"size": 1}).action == "no-op"
    assert objchange.plan_change(schema(), prior, None).action == "delete"
    replaced = objchange.plan_change(schema(), prior, {"size": 2}, requires_replace=["size"], create_before_destroy=True)
    assert (replaced.action, replaced.actions) == ("replace", ["create", "delete"])
    assert (replaced.replace_reason, replaced.replace_paths) == (
        "cannot_update",
        ["size"],
    )
    ignored: list[Literal["all"] | list[str]] = ["all", ["size"]]
    for paths in ignored:
        assert objchange.plan_change(schema(), prior, {"size": 2}, ignore_changes=paths).action == "no-op"
    assert objchange.plan_change(schema(), prior, {"size": 1}, tainted=True).replace_reason == "tainted"


def test_secrets_stay_secret(secret: str) -> None:
    change = objchange.plan_change(schema(), {"id": "d", "token": "old"}, {"token": secret, "size": Sensitive(3)})
    assert change.after["token"] == Sensitive(secret) and change.after["size"] == Sensitive(3)
    for text in (repr(change), repr(change.after), change.text("disk.a")):
        assert secret not in text
    bad = {"id": 1, "size": secret, "token": secret}
    for call in (
        lambda: objchange.plan_change(schema(), None, bad),
        lambda: objchange.proposed_new(schema(), None, bad),
        lambda: schema().coerce({"token": {secret: secret}}),
    ):
        with pytest.raises(objchange.SchemaError) as caught:
            call()
        assert secret not in str(caught.value) and caught.value.path
    violations = objchange.assert_object_compatible(schema(), {"token": "old"}, {"token": secret})
    assert [violation.path for violation in violations] == ["token"]
    assert secret not in str(violations[0]) + repr(violations)


def test_what_does_not_fit() -> None:
    with pytest.raises(objchange.SchemaError) as caught:
        objchange.assert_plan_valid(schema(), None, {"sise": 1}, None)
    assert caught.value.kind == "unsupported"
    with pytest.raises(objchange.OptionError):
        objchange.plan_change(schema(), None, {}, ignore_changes=["["])
    with pytest.raises(objchange.OptionError):
        objchange.plan_change(schema(), None, {}, ignore_changes="some")
    with pytest.raises(objchange.OptionError):
        objchange.plan_change(schema(), None, {}, requires_replace=["["])
    with pytest.raises(objchange.SchemaError) as unknown:
        objchange.plan_change(schema(), None, UNKNOWN)
    assert unknown.value.kind == "unknown_config"
