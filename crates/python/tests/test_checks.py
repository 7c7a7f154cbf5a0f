"""Reviews, tests of modules, graphs and explanations."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import REPOSITORY, SCHEMAS, change, plan_text

import objchange

POLICY = """package main
deny contains rc.address if {
    some rc in input.tfplan.resource_changes
    rc.change.after.size > 5
}
"""


@pytest.fixture
def plan_path(tmp_path: Path, secret: str) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(
        plan_text(
            change("disk.a", ["create"], None, {"size": 10, "token": secret}, after_sensitive={"token": True}),
            change("disk.b", ["delete"], {"size": 1}, None),
        )
    )
    return path


def test_a_review_says_what_refuses_a_plan(plan_path: Path, tmp_path: Path, secret: str) -> None:
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies/size.rego").write_text(POLICY)
    report = objchange.review(plan_path, rego=tmp_path / "policies", fail_on="delete")
    assert not report.accepted and report.document["verdict"] == "refused" and report.page == ""
    (reviewed,) = report.document["plans"]
    assert reviewed["refused"] == ["1 to destroy"] and reviewed["policies"][0]["address"] == "disk.a"
    assert secret not in str(report)
    fine = objchange.review([plan_path], fail_on=["replace", "move"])
    assert fine.accepted and fine.document["verdict"] == "accepted"
    page = objchange.review(plan_path, format="markdown", title="Production", marker="m", platform="gitlab")
    assert page.page.startswith("<!-- objchange:m -->") and "Production" in page.page and page.document == {}
    for wrong in (tmp_path / "none.json", tmp_path / "policies"):
        none = objchange.review(wrong)
        assert not none.accepted and none.document["plans"] == [] and len(none.problems) == 1
    with pytest.raises(objchange.Error, match="melt") as caught:
        objchange.review(plan_path, fail_on="melt")
    assert caught.value.kind == "review" and "fail_on" in caught.value.message and "--" not in caught.value.message
    hidden = objchange.review(plan_path, mask="size", format="markdown")
    assert "size" in hidden.page and "10" not in hidden.page.split("Approval hash")[0]


def test_a_plan_that_cannot_be_read_leaves_the_report_of_the_others(plan_path: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.json"
    cut.write_text(plan_path.read_text()[:100])
    report = objchange.review([plan_path, cut])
    assert not report.accepted and report.document["verdict"] == "not_reviewed"
    assert len(report.document["plans"]) == 1 and len(report.problems) == 1 and "cut.json" in report.problems[0]
    page = objchange.review([plan_path, cut], format="markdown")
    assert not page.accepted and "Not reviewed" in page.page and page.problems == report.problems
    fine = objchange.review([plan_path, cut], skip_unreadable=True)
    assert fine.accepted and fine.problems == () and len(fine.document["skipped"]) == 1


def test_tests_of_a_module_are_run(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text('variable "n" {\n  type = number\n}\noutput "o" {\n  value = var.n + 1\n}\n')
    (tmp_path / "a.tftest.hcl").write_text(
        'variables {\n  n = 1\n}\n'
        'run "good" {\n  command = plan\n  assert {\n    condition = output.o == 2\n    error_message = "no"\n  }\n}\n'
        'run "bad" {\n  command = plan\n  assert {\n    condition = output.o == 3\n    error_message = "it is not three"\n  }\n}\n'
    )
    report = objchange.run_tests(tmp_path)
    assert not report.passed and not report.undecided
    assert [(run.path, run.run, run.status) for run in report.runs] == [
        ("a.tftest.hcl", "good", "pass"),
        ("a.tftest.hcl", "bad", "fail"),
    ]
    assert "it is not three" in str(report.messages)
    (tmp_path / "b.tftest.hcl").write_text('variables {\n  n = 1\n}\nrun "only" {\n  command = plan\n}\n')
    assert objchange.run_tests(tmp_path, filter="b.tftest.hcl", strict=True).passed
    with pytest.raises(objchange.ConfigurationError) as caught:
        objchange.run_tests(tmp_path / "none")
    assert caught.value.kind == "test" and caught.value.file == str(tmp_path / "none")


def test_a_graph_has_what_a_module_refers_to(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(
        'variable "n" {\n  type = string\n}\nresource "terraform_data" "a" {\n  input = var.n\n}\n'
        'output "id" {\n  value = terraform_data.a.id\n}\n'
    )
    found = objchange.graph(tmp_path, variables={"n": "x"})
    nodes = {node["address"]: node for node in found["nodes"]}
    assert "var.n" in nodes["terraform_data.a"]["needs"] and nodes["output.id"]["unknown"]
    assert objchange.graph(tmp_path, variables={"n": "x"}, format="dot").startswith("digraph")
    only = objchange.graph(tmp_path, variables={"n": "x"}, format="mermaid", only_unknown=True)
    assert only.startswith("graph") and "var.n" not in only
    with pytest.raises(objchange.OptionError):
        objchange.graph(tmp_path, format="png")  # type: ignore[call-overload]
    (tmp_path / "main.tf").write_text('output "o" {\n  value = local.none\n}\n')
    with pytest.raises(objchange.ConfigurationError, match="Reference to undeclared local value"):
        objchange.graph(tmp_path)


MESSAGES = """Error: Provider produced inconsistent result after apply

When applying changes to disk.a, provider "registry.terraform.io/example/disks" produced an unexpected new value:
.{0}: was cty.StringVal("old"), but now cty.StringVal("{1}").

This is a bug in the provider, which should be reported in the provider's own issue tracker.
"""


def test_messages_are_explained(secret: str) -> None:
    (message,) = objchange.explain(MESSAGES.format("size", "x"))
    assert (message["address"], message["path"], message["clauses"]) == ("disk.a", "size", ["A5"])
    assert objchange.explain(MESSAGES.format("size", "x"), address="disk.b") == []
    hidden = objchange.explain(MESSAGES.format("token", secret), schemas=SCHEMAS)
    assert hidden[0]["path"] == "token" and secret not in str(hidden)
    assert objchange.explain((REPOSITORY / "README.md").read_text("utf-8")) == []
