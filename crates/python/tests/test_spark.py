"""Plans on Spark, with two workers on this machine."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import SCHEMAS, change, plan_text

import objchange

pytest.importorskip("pyspark", "4.0")
pytest.importorskip("pyarrow")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)

from objchange import arrow, spark as on_spark  # noqa: E402

REGO = """package main
deny contains rc.address if {
    some rc in input.tfplan.resource_changes
    rc.change.after.size > 5
}
"""


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder: Any = SparkSession.builder
    options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4", "spark.driver.bindAddress": "127.0.0.1"}
    builder = builder.master("local[2]").config(map=options)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """40 files with a plan each, 60 plans on the lines of one, and 5 that are broken."""
    folder = tmp_path_factory.mktemp("plans")
    for i in range(40):
        plan = plan_text(change(f"disk.f{i}", ["create"], None, {"size": i % 10, "token": "x"}, after_sensitive={"token": True}))
        (folder / f"f{i:02}.json").write_text(plan)
    lines = [plan_text(change(f"disk.l{i}", ["update"], {"size": 1}, {"size": 2})) for i in range(60)]
    lines[7] = '{"format_version": "1.2", "resource_changes": ['
    (folder / "lines.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "broken.json").write_text("{")
    (folder / "errored.json").write_text(plan_text(errored=True))
    (folder / "bytes.json").write_bytes(b'{"x": "\xff"}')
    (folder / "state.json").write_text('{"format_version": "1.0", "values": {"root_module": {}}}')
    return folder


def rows(frame: Any) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=str)


def test_rows_are_those_of_columns(spark: Any, plans: Path) -> None:
    """However the files are split, nothing is lost and nothing comes twice."""
    expected = sorted(
        (tuple(row.values()) for row in arrow.read(plans, errors="rows").read_all().to_pylist()), key=str
    )
    assert len(expected) == 104 and sum(row[-1] is not None for row in expected) == 5
    for size in (1 << 30, 4_000):
        frame = spark.read.format("objchange").option("splitBytes", size).load(str(plans))
        assert frame.columns == arrow.read([]).schema.names
        assert rows(frame) == expected


def test_they_are_filtered_and_grouped(spark: Any, plans: Path) -> None:
    frame = spark.read.format("objchange").load(f"file://{plans}")
    assert frame.filter("array_contains(actions, 'update')").count() == 59
    assert {row["type"]: row["count"] for row in frame.groupBy("type").count().collect()} == {"disk": 99, None: 5}
    assert frame.filter("error is not null").count() == 5
    hidden = [json.loads(row.after)["token"] for row in frame.filter("has_sensitive").collect()]
    assert len(hidden) == 40 and all(list(token) == ["$sensitive"] for token in hidden)


def test_options(spark: Any, plans: Path, tmp_path: Path) -> None:
    (tmp_path / "schemas.json").write_bytes(SCHEMAS)
    source = spark.read.format("objchange").option("schemas", str(tmp_path / "schemas.json"))
    (row,) = source.load(str(plans / "f01.json")).collect()
    assert row.has_sensitive and json.loads(row.after)["ports"] is None
    assert spark.read.format("objchange").option("of", "outputs").load(str(plans / "f01.json")).count() == 0
    findings = spark.read.format("objchange").option("of", "findings").load(str(plans))
    assert findings.columns == arrow.read([], of="findings").schema.names
    assert [row.kind for row in findings.filter("error is null").collect()] == ["errored"]
    assert findings.filter("error is not null").count() == 4
    for options in ({"of": "nothing"}, {"errors": "ignore"}, {"splitBytes": "0"}):
        with pytest.raises(Exception, match="OptionError|is one of|is \"raise\"|number of bytes"):
            spark.read.format("objchange").options(**options).load(str(plans)).collect()
    with pytest.raises(Exception, match="broken.json"):
        spark.read.format("objchange").option("errors", "raise").load(str(plans)).collect()


def test_splits_are_lines(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    lines = [b"", b"{}", b" ", b'{"a": 1}', b'{"b": "' + b"x" * 40 + b'"}', b"", b"{}"]
    path.write_bytes(b"\n".join(lines))
    data = path.read_bytes()
    for most in range(1, len(data) + 1):
        splits = [split.lines for split in on_spark._splits([path], most)]
        if splits == [None]:
            assert most == len(data)
            continue
        assert b"".join(data[start:end] for start, end, _ in splits) == data  # type: ignore[misc]
        for start, _, first in splits:  # type: ignore[misc]
            assert data[:start].count(b"\n") + 1 == first and (start == 0 or data[start - 1 : start] == b"\n")
    for text in (b"{}", b"\n{}\n\n", b"{\n}\n{}", "{}\n{}".encode("utf-16")):
        path.write_bytes(text)
        assert [split.lines for split in on_spark._splits([path], 1)] == [None]


def test_warnings_are_told_from_denials(spark: Any, plans: Path) -> None:
    rules = REGO + "warn contains rc.address if {\n    some rc in input.tfplan.resource_changes\n    rc.change.after.size > 7\n}\n"
    frame = spark.read.format("objchange").load(str(plans / "f0*.json"))
    judged = on_spark.policies(frame, rego={"size.rego": rules}).collect()
    found = {(Path(row.file).name, row.level): (row.verdict, row.binds) for row in judged}
    assert found["f06.json", "failure"] == ("FAIL", True) and found["f06.json", "warning"] == ("PASS", False)
    assert found["f08.json", "failure"] == ("FAIL", True) and found["f08.json", "warning"] == (on_spark.WARN, False)


def test_packed_lines_are_judged(spark: Any, plans: Path, tmp_path: Path) -> None:
    (tmp_path / "lines.jsonl.gz").write_bytes(gzip.compress((plans / "lines.jsonl").read_bytes()))
    frame = spark.read.format("objchange").load(str(tmp_path))
    judged = on_spark.policies(frame, rego={"size.rego": REGO}).collect()
    assert len(judged) == 60 and sum(row.verdict == "PASS" for row in judged) == 59


def test_policies_judge_each_plan_once(spark: Any, plans: Path, tmp_path: Path) -> None:
    (tmp_path / "size.sentinel").write_text(
        'import "tfplan/v2" as tfplan\nmain = rule { all tfplan.resource_changes as _, rc { rc.change.after.size else 0 < 9 } }\n'
    )
    frame = spark.read.format("objchange").load(str(plans))
    judged = on_spark.policies(frame, rego={"size.rego": REGO}, sentinel=tmp_path / "size.sentinel").collect()
    of = {(Path(row.file).name, row.language): row for row in judged}
    assert len(of) == len(judged)
    assert of["f09.json", "rego"].verdict == "FAIL" == of["f09.json", "sentinel"].verdict
    assert [finding.address for finding in of["f09.json", "rego"].findings] == ["disk.f9"]
    assert of["f08.json", "sentinel"].verdict == "PASS" and of["lines.jsonl:3", "rego"].verdict == "PASS"
    # A plan that cannot be judged never passes.
    undecided = {name for (name, _), row in of.items() if row.verdict == "UNDECIDED"}
    assert {"broken.json", "bytes.json", "state.json", "lines.jsonl:8"} <= undecided
    assert not any(name == "errored.json" and row.verdict == "PASS" for (name, _), row in of.items())
    assert len({name for name, _ in of}) == 104
    assert all(row.error for row in judged if row.rule is None)


def write_each_form(folder: Path) -> None:
    """Plans of all forms, of which only the first ones can pass."""
    folder.mkdir()
    output = {"o": {"actions": ["create"], "before": None, "after": 1, "after_unknown": False}}
    planned = {"root_module": {"resources": [{"address": "disk.a", "mode": "managed", "type": "disk", "name": "a", "values": {}}]}}
    one = change("disk.a", ["create"], None, {"size": 1})
    texts = {
        "pass-change": plan_text(one),
        "pass-outputs": plan_text(output_changes=output),
        "pass-nothing": plan_text(),
        "pass-drift": plan_text(resource_drift=[change("disk.a", ["update"], {"size": 1}, {"size": 2})]),
        "fail-incomplete": plan_text(change("disk.a", ["create"], None, {"size": 9}), complete=False),
        "incomplete": plan_text(one, complete=False),
        "incomplete-nothing": plan_text(complete=False),
        "errored": plan_text(errored=True),
        "errored-change": plan_text(one, errored=True),
        "lacks-changes": json.dumps({"format_version": "1.2", "terraform_version": "1.9.0", "planned_values": planned}),
        "unknown-action": plan_text(change("disk.a", ["archive"], {"size": 9}, None)),
        "state": '{"format_version": "1.0", "values": {"root_module": {}}}',
        "state-file": '{"version": 4, "serial": 1, "lineage": "x", "resources": []}',
        "empty-state": '{"format_version": "1.0"}',
        "empty-file": "",
        "blank": " \n\n",
        "null": "null",
        "cut": plan_text(one)[:80],
        "two": plan_text(one) + "\n" + plan_text(one)[:50],
    }
    for name, text in texts.items():
        (folder / f"{name}.json").write_text(text)
    (folder / "lines.jsonl").write_text("\n".join([plan_text(), plan_text(complete=False), plan_text(errored=True), "{", plan_text(one)]))


def verdicts(judged: Any) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in judged.collect():
        found.setdefault(Path(row.file).name, set()).add(row.verdict)
        assert row.verdict != "UNDECIDED" or row.error
    return found


def test_policies_judge_every_file(spark: Any, tmp_path: Path) -> None:
    """Also plans without changes; and nothing that is not a whole plan passes."""
    folder = tmp_path / "plans"
    write_each_form(folder)
    policy = tmp_path / "size.sentinel"
    policy.write_text(
        'import "tfplan/v2" as tfplan\nmain = rule { all tfplan.resource_changes as _, rc { rc.change.after.size else 0 < 9 } }\n'
    )
    frame = spark.read.format("objchange").load(str(folder))
    expected = {file.name: {"UNDECIDED"} for file in folder.glob("*.json")}
    expected |= {name: {"PASS"} for name in expected if name.startswith("pass-")}
    expected |= {"fail-incomplete.json": {"FAIL"}}
    expected |= {f"lines.jsonl:{line}": {verdict} for line, verdict in enumerate(["PASS", *["UNDECIDED"] * 3, "PASS"], 1)}
    # The second document is cut off: each is judged by itself, and the whole is no plan.
    del expected["two.json"]
    expected |= {"two.json:1": {"PASS"}, "two.json:2": {"UNDECIDED"}}
    assert verdicts(on_spark.policies(frame, rego={"size.rego": REGO})) == expected
    # Without the errors of the rows nothing else passes, either.
    assert verdicts(on_spark.policies(frame.cache().select("file"), sentinel=policy)) == expected
    contents = spark.read.format("binaryFile").load(f"{folder}/*.json")
    by_content = verdicts(on_spark.policies(contents, rego={"size.rego": REGO}))
    assert by_content == {name: {"UNDECIDED"} if name == "two.json" else expected[name] for name in by_content}
    # Spark makes no row of a file without content.
    assert len(by_content) == len(list(folder.glob("*.json"))) - 1


def test_an_error_of_reading_is_passed_on(spark: Any, tmp_path: Path) -> None:
    """Even if the file can be read now."""
    (tmp_path / "plan.json").write_text(plan_text())
    names = [(str(tmp_path / "plan.json"), "it was gone"), (None, None), (str(tmp_path / "plan.json"), None)]
    frame = spark.createDataFrame(names, "file string, error string")
    judged = {row.file: (row.verdict, row.error) for row in on_spark.policies(frame, rego={"size.rego": REGO}).collect()}
    assert judged[str(tmp_path / "plan.json")] == ("UNDECIDED", "it was gone")
    assert judged[None][0] == "UNDECIDED" and len(judged) == 2


def test_rows_that_do_not_name_each_plan_are_refused(spark: Any, plans: Path) -> None:
    for of in ("drift", "outputs", "findings"):
        frame = spark.read.format("objchange").option("of", of).load(str(plans))
        for rows_of in (frame, frame.filter("error is null").select("file")):
            with pytest.raises(objchange.OptionError, match=of):
                on_spark.policies(rows_of, rego={"size.rego": REGO})


def test_policies_judge_contents(spark: Any, plans: Path) -> None:
    files = spark.read.format("binaryFile").load(f"{plans}/f0*.json")
    judged = on_spark.policies(files, rego={"size.rego": REGO}).collect()
    assert sorted(row.verdict for row in judged) == ["FAIL"] * 4 + ["PASS"] * 6
    gone = spark.createDataFrame([(str(plans / "gone.json"),), (f"{plans}/lines.jsonl:99",)], "file string")
    assert {row.verdict for row in on_spark.policies(gone, rego={"size.rego": REGO}).collect()} == {"UNDECIDED"}


def test_what_cannot_be_judged(spark: Any, plans: Path) -> None:
    frame = spark.read.format("objchange").load(str(plans))
    with pytest.raises(objchange.OptionError):
        on_spark.policies(frame)
    with pytest.raises(objchange.OptionError):
        on_spark.policies(frame.select("type"), rego={"size.rego": REGO})
    with pytest.raises(objchange.PolicyError):
        on_spark.policies(frame, rego={"size.rego": "no policy"})


def broken_plans(whole: str) -> list[bytes]:
    """Files that are no plans, in all ways that happen: cut off, overwritten, of another version, not planned to the end."""
    document = json.loads(whole)
    return [
        b"",
        b" \n",
        whole[: len(whole) // 2].encode(),
        whole[:-1].encode(),
        b"Error: No configuration files\n",
        b"\xff\xd8\xff\xe0" + whole.encode(),
        whole.replace('"x"', "[" * 100_000 + "]" * 100_000, 1).encode(),
        whole.encode().replace(b'"x"', b'"\xc3("'),
        json.dumps({**document, "format_version": "2.0"}).encode(),
        json.dumps({key: value for key, value in document.items() if key != "format_version"}).encode(),
        ('{"format_version":"1.2","resource_changes":' + "[" * 100_000).encode(),
        ('{"format_version":"1.2","resource_changes":' + "[" * 100_000 + "]" * 100_000 + "}").encode(),
        json.dumps({**document, "errored": True}).encode(),
        json.dumps({**document, "resource_changes": [{"address": "disk.a", "change": {"actions": 7}}]}).encode(),
        json.dumps({**document, "resource_changes": {}}).encode(),
        b'{"format_version":"1.0","values":{"root_module":{}}}',
        b"[]",
        b"null",
        b"\x1f\x8b\x08\x00compressed",
        b"<!DOCTYPE html><html>502 Bad Gateway</html>",
    ]


def test_twenty_thousand_plans_of_which_forty_are_broken(spark: Any, tmp_path: Path) -> None:
    """15,000 files and 5,000 lines: each plan has its rows, or a row with its error, and no verdict of a broken one is good."""
    count, on_lines = 20_000, 5_000
    plans = [
        plan_text(
            change(f"disk.a{i}", ["create"], None, {"size": i % 10, "text": "x"}),
            change(f"net.b{i}", ["delete"], {"size": 1, "text": "x"}, None),
        ).encode()
        for i in range(count)
    ]
    broken = {i * 499 + 1: text for i, text in enumerate(broken_plans(plans[0].decode()) * 2)}
    # On a line of its own each of them has to be one.
    lines = {i for i in range(count - on_lines, count)}
    for i, text in broken.items():
        plans[i] = text.strip().replace(b"\n", b" ") or b"{" if i in lines else text
    for i in range(count - on_lines):
        folder = tmp_path / f"d{i % 100}"
        folder.mkdir(exist_ok=True)
        (folder / f"p{i}.json").write_bytes(plans[i])
    (tmp_path / "lines.jsonl").write_bytes(b"\n".join(plans[i] for i in sorted(lines)))
    assert len(broken) == 40 and any(i in lines for i in broken)

    frame = spark.read.format("objchange").option("splitBytes", 1 << 20).load(str(tmp_path)).cache()
    failed = frame.filter("error is not null").collect()
    assert len(failed) == 40 and len({row.file for row in failed}) == 40 and all(row.address is None for row in failed)
    groups = {(row.type, tuple(row.actions)): row["count"] for row in frame.groupBy("type", "actions").count().collect()}
    assert groups == {("disk", ("create",)): 19_960, ("net", ("delete",)): 19_960, (None, ()): 40}
    assert frame.select("file").distinct().count() == count
    judged = on_spark.policies(frame, rego={"size.rego": REGO}).groupBy("verdict").count().collect()
    too_large = sum(i % 10 > 5 and i not in broken for i in range(count))
    verdicts = {row.verdict: row["count"] for row in judged}
    assert verdicts == {"PASS": 19_960 - too_large, "FAIL": too_large, "UNDECIDED": 40}
