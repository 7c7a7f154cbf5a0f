"""Queries, policies, expressions and modules."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, SCHEMAS, change, plan_text

import objchange
from objchange import UNKNOWN, Sensitive, hcl, policy


def bucket(acl: Any, secret: str = "", **more: Any) -> objchange.Plan:
    after = {"acl": acl, "token": secret} if acl is not None else {"token": secret}
    text = plan_text(change("bucket.a", ["create"], None, after, after_sensitive={"token": True}, **more))
    return objchange.Plan.load(text.encode())


UNDECIDED = {"after_unknown": {"acl": True}}


def test_queries_find_items(plan: objchange.Plan, secret: str) -> None:
    found = objchange.query(plan, 'rc.change.actions.exists(a, a == "create")')
    assert found.keys == ["module.a.disk.one[0]", 'disk.two["x"]'] and len(found) == 2
    assert found.items[0].actions == ["delete", "create"] and found.items[0].value is None
    sized = objchange.query(plan, "rc.change.after.size > 5.0", select="rc.change.after.size")
    assert [item.value for item in sized.items] == [Decimal("10.25")]
    rows = objchange.query(plan, 'rc.type == "disk"', select='{"a": rc.name, "t": rc.change.after.?token.orValue("none")}')
    assert rows.items[0].value == {"a": "one", "t": "(sensitive value)"}
    assert rows.items[1].value == {"a": "two", "t": "none"}
    lists = objchange.query(plan, "true", select="[rc.name, rc.mode]", of="drift")
    assert lists.items[0].value == ["three", "managed"]
    assert objchange.query(plan, f'old(rc, "token") == "{secret}"').keys == ["module.a.disk.one[0]"]


def test_what_is_unknown_neither_matches_nor_does_not(plan: objchange.Plan) -> None:
    found = objchange.query(plan, 'rc.name == "one" && rc.change.after.id == "d-1"')
    assert (found.keys, found.undecided) == ([], ["module.a.disk.one[0]"])
    assert objchange.query(plan, 'rc.name == "one" && rc.change.after.id == "d-1"', undecided=True).keys == found.undecided


@pytest.mark.parametrize(
    ("expression", "kind", "column"),
    [("rc.", "syntax", 4), ("rc.typ == 'x'", "name", 4), ("rc.name == [1]", "type", 1), ("rc.change.after.size + 'a' == 'b'", "type", 1)],
)
def test_queries_that_cannot_be_used(plan: objchange.Plan, expression: str, kind: str, column: int) -> None:
    with pytest.raises(objchange.QueryError) as caught:
        objchange.query(plan, expression)
    assert (caught.value.kind, caught.value.line) == (kind, 1)


def test_queries_with_wrong_options(plan: objchange.Plan) -> None:
    wrong: list[dict[str, Any]] = [{"of": "colours"}, {"timeout": -1.0}, {"timeout": float("nan")}]
    for options in wrong:
        with pytest.raises(objchange.OptionError):
            objchange.query(plan, "true", **options)
    with pytest.raises(objchange.QueryError) as late:
        objchange.query(plan, "true", timeout=0)
    assert late.value.kind == "timeout"
    state = objchange.loads('{"version":4,"serial":1,"lineage":"x"}')
    with pytest.raises(objchange.DocumentError):
        objchange.query(state, "true")
    assert objchange.query(state, "true", of="state").keys == []


REGO = """
package main
deny contains msg if {
    some rc in input.tfplan.resource_changes
    rc.change.after.acl == "public"
    msg := sprintf("%s is public: %s", [rc.address, rc.change.after.token])
}
warn contains "look" if { input.tfplan.resource_changes["bucket.a"].change.after.acl != "private" }
"""


def test_rego_decides_or_does_not(secret: str, tmp_path: Path) -> None:
    policies = policy.compile_rego({"s3.rego": REGO})
    verdicts = [policies.judge(bucket("public", secret)), policies.judge(bucket("private", secret))]
    undecided = policies.judge(bucket(None, secret, **UNDECIDED))
    assert [result.verdict for result in (*verdicts, undecided)] == [policy.FAIL, policy.PASS, policy.UNDECIDED]
    deny, warn = verdicts[0].rules
    assert (deny.name, deny.level, deny.file, deny.line) == ("main.deny", "failure", "s3.rego", 3)
    assert deny.findings[0][0] == "bucket.a" and secret not in repr(deny.findings)
    assert (warn.verdict, warn.level) == ("FAIL", "warning")
    assert undecided.rules[0].waits_for == ["bucket.a.acl"]
    (tmp_path / "s3.rego").write_text(REGO)
    (tmp_path / "s3_test.rego").write_text("no policy")
    for place in (tmp_path, [tmp_path / "s3.rego"], str(tmp_path)):
        assert policy.rego(bucket("public"), place).verdict == policy.FAIL


def test_rego_reads_the_run_and_a_wrapped_document() -> None:
    rule = 'package main\ndeny contains "x" if { input.run.name == "prod"; input.plan.format_version }'
    with pytest.raises(objchange.PolicyError) as missing:
        policy.compile_rego({"a.rego": rule})
    assert missing.value.kind == "needs_run"
    for name, verdict in (("prod", policy.FAIL), ("dev", policy.PASS)):
        assert policy.compile_rego({"a.rego": rule}, run={"name": name}).judge(bucket("x")).verdict == verdict
    rule = 'package main\ndeny contains "x" if { input.tfplan.format_version; input.tfrun.name == "prod" }'
    wrapped = policy.compile_rego({"a.rego": rule}, run={"name": "prod"}, input="wrapped")
    assert wrapped.judge(bucket("x")).verdict == policy.FAIL
    with pytest.raises(objchange.PolicyError) as unread:
        policy.compile_rego({"a.rego": "package main\ndeny contains 1 if input.resource_changes[0].chnage"})
    assert unread.value.kind == "missing_field"


def test_rego_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(objchange.PolicyError) as broken:
        policy.compile_rego({"a.rego": "package main\ndeny {"})
    assert (broken.value.file, broken.value.line) == ("a.rego", 2)
    for nothing in ({"a.rego": "package main\nx := 1"}, tmp_path):
        with pytest.raises(objchange.PolicyError) as none:
            policy.compile_rego(nothing)
        assert none.value.kind == "no_rules"
    with pytest.raises(FileNotFoundError):
        policy.compile_rego(tmp_path / "none.rego")
    rule = "package main\ndeny contains \"low\" if { data.limit < 5 }"
    assert policy.rego(bucket("x"), {"a.rego": rule}, data={"limit": 3}).verdict == policy.FAIL
    assert policy.rego(bucket("x"), {"a.rego": rule}, data={"limit": 7}).verdict == policy.PASS


SENTINEL = """
import "tfplan/v2" as tfplan
param forbidden default "public"
main = rule { all tfplan.resource_changes as _, rc { rc.change.after.acl is not forbidden } }
"""


def test_sentinel_decides_or_does_not(secret: str, tmp_path: Path) -> None:
    file = tmp_path / "acl.sentinel"
    file.write_text(SENTINEL)
    for place in (file, tmp_path):
        results = [policy.sentinel(bucket(acl, secret), place).verdict for acl in ("public", "private")]
        assert results == [policy.FAIL, policy.PASS]
    undecided = policy.sentinel(bucket(None, secret, **UNDECIDED), file)
    assert undecided.verdict == policy.UNDECIDED and "acl" in undecided.rules[0].waits_for[0]
    assert policy.sentinel(bucket("private"), file, params={"forbidden": "private"}).verdict == policy.FAIL
    failed = policy.sentinel(bucket("public", secret), file).rules[0]
    assert (failed.name, failed.level) == ("acl", "hard-mandatory") and failed.findings[0][0] == "bucket.a"
    (tmp_path / "sentinel.hcl").write_text('policy "acl" {\n  source = "./acl.sentinel"\n  enforcement_level = "advisory"\n}\n')
    advice = policy.sentinel(bucket("public"), tmp_path)
    assert advice.verdict == policy.PASS and advice.rules[0].verdict == policy.FAIL
    file.write_text("main = rule { error(\"no\") }")
    broken = policy.sentinel(bucket("public"), file)
    assert broken.verdict == policy.UNDECIDED and broken.rules[0].error
    file.write_text("main = rule {")
    for nothing in (file, tmp_path / "none.sentinel"):
        with pytest.raises(objchange.PolicyError):
            policy.sentinel(bucket("public"), nothing)


def test_sentinel_policies_that_nothing_applies(tmp_path: Path) -> None:
    """A folder is read as by the program: a policy that no set names is refused, and a set below is told of."""
    (tmp_path / "acl.sentinel").write_text(SENTINEL)
    (tmp_path / "sentinel.hcl").write_text('policy "acl" {\n  source = "./acl.sentinel"\n}\n')
    assert policy.sentinel(bucket("public"), tmp_path).rules[0].name == "acl"
    below = tmp_path / "below"
    below.mkdir()
    (below / "forgotten.sentinel").write_text("main = rule { false }\n")
    with pytest.raises(objchange.PolicyError, match="not applied") as forgotten:
        policy.compile_sentinel(tmp_path)
    assert forgotten.value.file == str(below / "forgotten.sentinel")
    with pytest.raises(objchange.PolicyError, match="no file in it"):
        (tmp_path / "empty").mkdir()
        policy.compile_sentinel(tmp_path / "empty")
    (below / "forgotten.sentinel").write_text("helper = func() { return 1 }\n")
    policy.compile_sentinel(tmp_path)
    (below / "sentinel.hcl").write_text('policy "other" {\n  source = "./other.sentinel"\n}\n')
    (below / "other.sentinel").write_text("main = rule { false }\n")
    with pytest.warns(objchange.DocumentWarning, match="not applied"):
        policy.compile_sentinel(tmp_path)
    with pytest.raises(objchange.Error, match="no policy has a parameter"):
        policy.compile_sentinel(tmp_path / "acl.sentinel", params={"forbiden": "public"})
    mock = 'mock "tfplan/v2" {\n  module {\n    source = "./mock.sentinel"\n  }\n}\n'
    (below / "mock.sentinel").write_text("resource_changes = {}\n")
    (below / "sentinel.hcl").write_text('policy "other" {\n  source = "./other.sentinel"\n}\n' + mock)
    with pytest.raises(objchange.PolicyError, match="replaced here"):
        policy.compile_sentinel(below)


def test_a_plan_without_an_address_is_judged() -> None:
    plan = objchange.Plan.load(plan_text({**change("disk.a", ["create"], None, {"size": 1}), "address": ""}).encode())
    rule = "package main\ndeny contains \"disk.a is too small\" if { some rc in input.tfplan.resource_changes; rc.change.after.size < 2 }"
    assert policy.rego(plan, {"a.rego": rule}, timeout=10.0).verdict == policy.FAIL


def test_expressions(secret: str) -> None:
    assert hcl.evaluate("1 + 0.5") == Decimal("1.5")
    assert hcl.evaluate("{for k, v in m : k => upper(v)}", {"m": {"a": "x"}}) == {"a": "X"}
    assert hcl.evaluate("toset([2, 1, 2])") == {1, 2}
    assert hcl.evaluate("x ? 1 : 2", {"x": UNKNOWN}) is UNKNOWN
    assert hcl.evaluate("[id, 1]", {"id": UNKNOWN}) == [UNKNOWN, 1]
    assert hcl.evaluate("upper(token)", {"token": Sensitive(secret)}) == Sensitive(secret.upper())
    with pytest.raises(objchange.ConfigurationError) as caught:
        hcl.evaluate("\n  prots[0]", {"ports": []})
    assert (caught.value.kind, caught.value.line, caught.value.column) == ("unknown_variable", 2, 3)
    with pytest.raises(objchange.ConfigurationError) as hidden:
        hcl.evaluate("tonumber(token)", {"token": Sensitive(secret)})
    assert secret not in str(hidden.value)
    with pytest.raises(objchange.InvalidValueError) as wrong:
        hcl.evaluate("1", {"x": object()})
    assert wrong.value.path == "x"


def test_a_module_is_planned(tmp_path: Path) -> None:
    (tmp_path / "schemas.json").write_bytes(SCHEMAS)
    (tmp_path / "main.tf").write_text(
        'terraform {\n  required_providers {\n    disks = { source = "example/disks" }\n  }\n}\n'
        'variable "size" { type = number }\nresource "disk" "a" {\n  provider = disks\n  size = var.size\n}\n'
    )
    schemas = json.loads(SCHEMAS)
    address = "registry.terraform.io/example/disks"
    schemas["provider_schemas"][address]["provider"] = {"version": 0, "block": {}}
    (tmp_path / "schemas.json").write_text(json.dumps(schemas))
    plan = objchange.plan_module(tmp_path, schemas=tmp_path / "schemas.json", variables={"size": 7})
    assert plan.simulated and [change.address for change in plan.changes] == ["disk.a"]
    assert plan.changes[0].after["size"] == 7 and plan.changes[0].after["id"] is UNKNOWN
    with pytest.raises(objchange.ConfigurationError, match="size"):
        objchange.plan_module(tmp_path, schemas=[tmp_path / "schemas.json"], variables={"size": "x"})
    with pytest.raises(objchange.ConfigurationError):
        objchange.plan_module(REPOSITORY / "docs")
    # Its state is elsewhere.
    (tmp_path / "backend.tf").write_text('terraform {\n  backend "s3" {\n  }\n}\n')
    files = [tmp_path / "schemas.json"]
    with pytest.raises(objchange.ConfigurationError, match="state pull"):
        objchange.plan_module(tmp_path, schemas=files, variables={"size": 7})
    assert objchange.plan_module(tmp_path, schemas=files, variables={"size": 7}, no_state=True).changes
    with pytest.raises(objchange.OptionError):
        objchange.plan_module(tmp_path, state=tmp_path / "state.json", no_state=True)


def test_the_plan_of_a_module_hides_what_is_sensitive(tmp_path: Path, secret: str) -> None:
    (tmp_path / "main.tf").write_text(
        'variable "token" {\n  sensitive = true\n}\n'
        'variable "shown" {}\n'
        'resource "terraform_data" "a" {\n  input = [var.token, var.shown, "${upper(var.token)}"]\n}\n'
    )
    # A literal, although the text looks like a template.
    plan = objchange.plan_module(tmp_path, variables={"token": secret, "shown": "${1 + 1}"})
    values = plan.changes[0].after["input"]
    assert values[1] == "${1 + 1}" and isinstance(values[0], Sensitive)
    assert secret not in plan.text() + plan.json() + repr(plan) + plan.summary()
    (tmp_path / "main.tf").write_text(
        'variable "token" {\n  sensitive = true\n  type = number\n}\nvariable "shown" {}\n'
    )
    with pytest.raises(objchange.ConfigurationError) as caught:
        objchange.plan_module(tmp_path, variables={"token": secret, "shown": ""})
    assert caught.value.kind == "configuration" and secret not in str(caught.value)
    with pytest.raises(objchange.ConfigurationError) as missing:
        objchange.plan_module(tmp_path / "nowhere")
    assert missing.value.kind == "unreadable"


def test_plans_that_lack_changes_pass_nothing(tmp_path: Path) -> None:
    plan = objchange.Plan.load(plan_text(change("disk.a", ["create"], None, {"size": 1}), errored=True).encode())
    rego = {"size.rego": "package main\ndeny contains 1 if { false }\n"}
    (tmp_path / "all.sentinel").write_text("main = true\n")
    for judge in (
        lambda **options: policy.rego(plan, rego, **options),
        lambda **options: policy.sentinel(plan, tmp_path / "all.sentinel", **options),
        lambda **options: objchange.query(plan, "true", **options),
    ):
        with pytest.raises(objchange.DocumentError) as caught:
            judge()
        assert caught.value.kind == "errored"
        judge(allow_errored=True)


def test_plans_that_trust_their_providers_pass_nothing(tmp_path: Path) -> None:
    text = plan_text(change("disk.a", ["update"], {"size": 1}, {"size": 2}), terraform_version="1.16.0+simulated.trusting")
    plan = objchange.Plan.load(text.encode())
    rego = {"size.rego": "package main\ndeny contains 1 if { false }\n"}
    (tmp_path / "all.sentinel").write_text("main = true\n")
    for judge in (
        lambda **options: policy.rego(plan, rego, **options),
        lambda **options: policy.sentinel(plan, tmp_path / "all.sentinel", **options),
        lambda **options: objchange.query(plan, "true", **options),
    ):
        with pytest.raises(objchange.DocumentError) as caught:
            judge()
        assert caught.value.kind == "trusting"
        judge(allow_trusting=True)
