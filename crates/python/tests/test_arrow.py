"""Changes of many plans as columns."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from conftest import SCHEMAS, change, plan_text

import objchange
from objchange import arrow

pyarrow = pytest.importorskip("pyarrow")

COLUMNS = [
    "file",
    "address",
    "module",
    "mode",
    "type",
    "name",
    "key",
    "deposed",
    "provider",
    "actions",
    "reason",
    "changed_paths",
    "replace_paths",
    "before",
    "after",
    "has_unknown",
    "has_sensitive",
    "terraform_version",
    "time",
    "error",
]


@pytest.fixture
def plans(tmp_path: Path, secret: str) -> Path:
    """Three files: one plan, two plans on lines, and one that is broken."""
    one = change(
        'module.m.disk.a["k"]',
        ["update"],
        {"size": 1, "tags": {"a": "b"}, "token": "old"},
        {"size": 2, "tags": {"a": "b"}, "token": secret},
        after_unknown={"id": True},
        after_sensitive={"token": True},
        module_address="module.m",
        index="k",
        action_reason="read_because_config_unknown",
    )
    (tmp_path / "a.json").write_text(
        plan_text(
            one,
            resource_drift=[change("disk.d", ["update"], {"size": 1}, {"size": 3})],
            output_changes={"o": {"actions": ["create"], "before": None, "after": 1, "after_unknown": False}},
        )
    )
    lines = [plan_text(change(f"disk.l{i}", ["create"], None, {"size": i})) for i in range(2)]
    (tmp_path / "b.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "notes.txt").write_text("no plan")
    return tmp_path


def test_rows_have_what_a_change_has(plans: Path, secret: str) -> None:
    table = arrow.read(plans).read_all()
    assert table.column_names == COLUMNS
    rows = table.to_pylist()
    assert [row["file"] for row in rows] == [str(plans / "a.json"), f"{plans / 'b.jsonl'}:1", f"{plans / 'b.jsonl'}:2"]
    row = rows[0]
    assert (row["address"], row["module"], row["mode"], row["type"], row["name"], row["key"]) == (
        'module.m.disk.a["k"]',
        "module.m",
        "managed",
        "disk",
        "a",
        "k",
    )
    assert row["provider"] == "registry.terraform.io/example/disks"
    assert (row["actions"], row["reason"]) == (["update"], "read_because_config_unknown")
    assert row["changed_paths"] == ["id", "size", "token"]
    assert json.loads(row["before"])["size"] == 1 and json.loads(row["after"])["id"] == {"$unknown": {}}
    assert (row["has_unknown"], row["has_sensitive"], row["error"]) == (True, True, None)
    assert (rows[1]["before"], rows[1]["has_unknown"], rows[1]["has_sensitive"]) == (None, False, False)
    assert secret not in str(rows) and "old" not in row["before"]


def test_drift_and_outputs(plans: Path) -> None:
    drift = arrow.read(plans / "a.json", of="drift").read_all().to_pylist()
    assert [(row["address"], row["changed_paths"]) for row in drift] == [("disk.d", ["size"])]
    outputs = arrow.read([plans / "a.json"], of="outputs").read_all().to_pylist()
    assert [(row["name"], row["address"], row["after"]) for row in outputs] == [("o", None, "1")]


def test_findings(tmp_path: Path) -> None:
    """Findings of each plan; a plan that cannot be read is a row with its error."""
    checks = [
        {
            "address": {"kind": kind, "to_display": address},
            "status": status,
            "instances": [{"problems": [{"message": "It is down."}]}] if status == "fail" else [],
        }
        for kind, address, status in (("check", "check.a", "fail"), ("resource", "disk.b", "unknown"), ("var", "var.c", "pass"))
    ]
    (tmp_path / "a.json").write_text(plan_text(checks=checks))
    (tmp_path / "b.json").write_text(plan_text(errored=True))
    (tmp_path / "c.json").write_text("{")
    (tmp_path / "d.json").write_text(plan_text(change("disk.a", ["create"], None, {})))
    table = arrow.read(tmp_path, of="findings", errors="rows").read_all()
    wanted = ["file", "address", "kind", "severity", "message", "terraform_version", "time", "error"]
    assert table.column_names == wanted
    assert table["terraform_version"].to_pylist() == ["1.9.0", "1.9.0", "1.9.0", None]
    table = table.drop_columns(["terraform_version", "time"])
    rows = [tuple(row.values())[1:] for row in table.to_pylist()]
    assert rows[0] == ("check.a", "check_failed", "warning", "It is down.", None)
    assert rows[1] == ("disk.b", "check_unknown", "warning", "the result is not known until apply", None)
    assert rows[2][1:3] == ("errored", "error") and rows[2][-1] is None
    assert rows[3][:-1] == (None, None, None, None) and rows[3][-1]
    assert len(rows) == 4


def test_a_broken_first_line_does_not_hide_the_others(tmp_path: Path) -> None:
    lines = [plan_text(change(f"disk.l{i}", ["create"], None, {"size": i})) for i in range(3)]
    (tmp_path / "a.jsonl").write_text("\n".join([lines[0][:50], *lines[1:]]))
    rows = arrow.read(tmp_path, errors="rows").read_all().to_pylist()
    assert [(Path(row["file"]).name, row["address"]) for row in rows] == [
        ("a.jsonl:1", None),
        ("a.jsonl:2", "disk.l1"),
        ("a.jsonl:3", "disk.l2"),
    ]


def test_plan_files_have_the_rows_of_their_documents(tmp_path: Path) -> None:
    saved = Path(__file__).parents[2] / "saved/tests/files"
    (tmp_path / "a").mkdir()
    (tmp_path / "a/tfplan").write_bytes((saved / "replace.tfplan").read_bytes())
    (tmp_path / "b.tfplan").write_bytes((saved / "deferred.tfplan").read_bytes())
    for of in ("changes", "outputs", "findings"):
        found = arrow.read(tmp_path, of=of).read_all().to_pylist()
        wanted = arrow.read([saved / "replace.json", saved / "deferred.json"], of=of).read_all().to_pylist()
        assert [{**row, "file": ""} for row in found] == [{**row, "file": ""} for row in wanted]
    (tmp_path / "c.tfplan").write_bytes(b"PK\x03\x04")
    rows = arrow.read(tmp_path, errors="rows").read_all().to_pylist()
    assert "not a plan file as Terraform writes it" in rows[-1]["error"]


def test_schemas_hide_what_they_call_sensitive(tmp_path: Path, secret: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(plan_text(change("disk.a", ["create"], None, {"id": "x", "size": 1, "ports": [2, 1], "token": secret})))
    (plain,) = arrow.read(path).read_all().to_pylist()
    (typed,) = arrow.read(path, schemas=SCHEMAS).read_all().to_pylist()
    assert secret in plain["after"] and secret not in str(typed)
    assert json.loads(typed["after"])["ports"] == [1, 2] and typed["has_sensitive"]


def test_broken_plans_raise_or_are_rows(plans: Path, secret: str) -> None:
    (plans / "a2.json").write_text('{"format_version": "1.2", "resource_changes": [' + secret)
    (plans / "a3.json").write_text(plan_text(errored=True))
    (plans / "a4.json").write_bytes(b'{"x": "\xff"}')
    with pytest.raises(Exception, match="a2.json") as caught:
        arrow.read(plans).read_all()
    assert secret not in str(caught.value)
    rows = arrow.read(plans, errors="rows").read_all().to_pylist()
    broken = [row for row in rows if row["error"]]
    assert [Path(row["file"]).name for row in broken] == ["a2.json", "a3.json", "a4.json"]
    assert len(rows) == 6 and secret not in str(rows)
    (gone,) = arrow.read(plans / "gone.json", errors="rows").read_all().to_pylist()
    assert "cannot be read" in gone["error"]


def test_many_documents_come_in_batches_in_order(tmp_path: Path) -> None:
    count, size = 300, 200_000
    (tmp_path / "all.jsonl").write_text(
        "\n".join(plan_text(change(f"disk.d{i}", ["create"], None, {"text": "x" * size})) for i in range(count))
    )
    batches = list(arrow.read(tmp_path))
    assert len(batches) > 1
    names = [name for batch in batches for name in batch.column("name").to_pylist()]
    assert names == [f"d{i}" for i in range(count)]


def test_streams_are_read_as_often_as_wanted_and_have_options(plans: Path) -> None:
    stream = arrow.stream(plans)
    assert pyarrow.table(stream) == pyarrow.table(stream) and len(pyarrow.table(stream)) == 3
    assert repr(stream) == "<ChangeStream: changes in 2 files>"
    (plans / "c.json").write_text("{")
    broken = arrow.stream(plans)
    for _ in range(2):
        with pytest.raises(Exception, match="c.json"):
            pyarrow.table(broken)
    (plans / "c.json").unlink()
    for options in ({"of": "nothing"}, {"errors": "ignore"}):
        with pytest.raises(objchange.OptionError):
            arrow.stream(plans, **options)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        arrow.stream(plans / "*.tf")
    # Nobody has to read it.
    arrow.stream(plans)
    arrow.stream(plans).__arrow_c_stream__()
    assert arrow.read([]).read_all().num_rows == 0


def test_each_root_module_is_a_row(tmp_path: Path) -> None:
    (tmp_path / "good").mkdir()
    (tmp_path / "good" / "main.tf").write_text(
        'variable "n" {\n  type = string\n}\nresource "terraform_data" "a" {\n  input = var.n\n}\n'
        'module "m" {\n  source  = "acme/m/aws"\n  version = "~> 1.0"\n}\n'
    )
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "main.tf").write_text('output "o" {\n  value = local.none\n}\n')
    table = arrow.roots(tmp_path)
    bad, good = table.to_pylist()
    assert (bad["outcome"], bad["create"]) == ("error", None)
    assert "Reference to undeclared local value" in bad["errors"][0]
    assert (good["outcome"], good["create"], good["delete"]) == ("changed", 1, 0)
    assert {(one["kind"], one["address"], one["version"]) for one in good["missing"]} == {
        ("variable", "var.n", None),
        ("module", "module.m", "~> 1.0"),
    }
    assert arrow.roots([tmp_path / "good"], no_state=True).schema == table.schema
    with pytest.raises(objchange.Error):
        arrow.roots(tmp_path / "nothing")


def test_duckdb_reads_streams_and_plans(plans: Path, secret: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    stream, plan = arrow.stream(plans), objchange.Plan.load(plans / "a.json")
    changes = plan.changes
    of_stream = duckdb.sql("SELECT address, actions[1] FROM stream ORDER BY ALL")
    assert len(of_stream.fetchall()) == 3
    # The same object once more, beside another one.
    both = duckdb.sql("SELECT s.address FROM stream s JOIN changes c USING (address) ORDER BY ALL").fetchall()
    assert both == [(change.address,) for change in plan.changes]
    found = duckdb.sql("SELECT * FROM plan").fetchall()
    assert len(found) == len(plan.changes) and secret not in str(found)


def test_rows_have_the_version_the_time_the_deposed_key_and_what_forces_a_replacement(tmp_path: Path, secret: str) -> None:
    one = change(
        "disk.a",
        ["delete", "create"],
        {"size": 1, "tags": {secret: "a"}, "ports": [1]},
        {"size": 2, "tags": {secret: "b"}, "ports": [2]},
        before_sensitive={"tags": True},
        after_sensitive={"tags": True},
        replace_paths=[["size"], ["tags", secret], ["ports", 0], ["nothing", secret]],
    )
    gone = change("disk.b", ["delete"], {"size": 1}, None, deposed="abcd1234")
    path = tmp_path / "plan.json"
    path.write_text(plan_text(one, gone, timestamp="2026-11-30T12:00:00Z"))
    first, second = arrow.read(path).read_all().to_pylist()
    assert first["replace_paths"] == ["size", "tags", "ports[0]", "nothing"] and secret not in str(first)
    assert (first["terraform_version"], first["time"]) == ("1.9.0", "2026-11-30T12:00:00Z")
    assert (first["deposed"], second["deposed"]) == (None, "abcd1234") and second["replace_paths"] == []
    assert objchange.Plan.load(path).time == "2026-11-30T12:00:00Z"


def test_changes_of_a_plan_are_a_table(plans: Path, plan: objchange.Plan, secret: str) -> None:
    loaded = objchange.Plan.load(plans / "a.json")
    assert loaded.changes.to_arrow() == arrow.read(plans / "a.json").read_all() == pyarrow.table(loaded)
    assert loaded.drift.to_arrow() == arrow.read(plans / "a.json", of="drift").read_all()
    assert loaded.outputs.to_arrow() == arrow.read(plans / "a.json", of="outputs").read_all()
    table = plan.changes.filter(action="create").to_arrow()
    assert table["address"].to_pylist() == ['disk.two["x"]'] and table.column_names == COLUMNS
    assert plan.changes.filter(action="read").to_arrow().num_rows == 0
    for part in (plan.changes, plan.drift, plan.deferred, plan.outputs):
        assert secret not in str(part.to_arrow().to_pylist())
    misfit = plan_text(change("disk.a", ["create"], None, {"size": [secret]}))
    with pytest.raises(objchange.SchemaError) as caught:
        objchange.Plan.load(misfit.encode(), schemas=SCHEMAS).changes.to_arrow()
    assert secret not in str(caught.value)


def test_packed_plans_are_read(plans: Path, tmp_path: Path) -> None:
    for path in sorted(plans.iterdir()):
        (plans / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    rows = arrow.read(plans).read_all().to_pylist()
    assert len(rows) == 3 and all(".gz" in row["file"] for row in rows)
    (plans / "cut.json.gz").write_bytes(gzip.compress(b"{}" * 100)[:-9])
    rows = arrow.read(plans, errors="rows").read_all().to_pylist()
    assert [row["error"] for row in rows if row["error"]] == ["cannot be read: the gzip file is cut off"]
