"""Plans and states: what they are read from, what is seen of them, and how they are shown."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, SCHEMAS, change, plan_text

import objchange
from objchange import UNKNOWN


def test_a_change_says_what_the_document_says(plan: objchange.Plan) -> None:
    one = plan.changes[0]
    assert (one.address, one.module, one.mode, one.type, one.name) == (
        "module.a.disk.one[0]",
        "module.a",
        "managed",
        "disk",
        "one",
    )
    assert (one.key, plan.changes[1].key, plan.changes[2].key) == (0, "x", None)
    assert one.provider == "registry.terraform.io/example/disks"
    assert (one.actions, one.reason) == (["delete", "create"], "replace_because_cannot_update")
    assert one.replace_paths == [["size"], ["tags", "a"], ["ports", 0]]
    assert (one.previous_address, one.deposed, one.import_id, one.deferred_reason) == (None, None, None, None)
    assert repr(one) == "<ResourceChange module.a.disk.one[0]: delete, create>"


def test_unknown_is_not_null_and_not_absent(plan: objchange.Plan) -> None:
    before, after = plan.changes[0].before, plan.changes[0].after
    assert before["tags"] == {"a": None}
    assert after["id"] is UNKNOWN and after["tags"]["c"] is UNKNOWN
    assert "id" not in plan.changes[2].after
    assert plan.changes[1].before is None
    with pytest.raises(TypeError, match="has no truth value until apply"):
        bool(after["id"])


def test_numbers_are_exact(plan: objchange.Plan) -> None:
    assert plan.changes[0].before["size"] == 10 and type(plan.changes[0].before["size"]) is int
    assert plan.changes[0].after["size"] == Decimal("10.25")
    for text in ("0.1", "123456789012345678901234567890", "1e-30", "9007199254740993", "-0.5"):
        document = plan_text(change("disk.a", ["create"], None, {"size": 0})).replace('"size": 0', f'"size": {text}')
        size = objchange.Plan.load(document.encode()).changes[0].after["size"]
        assert size == Decimal(text), text


def test_changes_are_a_sequence(plan: objchange.Plan) -> None:
    assert [change.address for change in plan.changes][1:] == ['disk.two["x"]', "disk.three"]
    assert len(plan.changes) == 3 and plan.changes[-1].address == "disk.three"
    assert [change.address for change in plan.changes[::2]] == ["module.a.disk.one[0]", "disk.three"]
    assert len(plan.drift) == 1 and plan.drift[0].before == {"size": 2}
    first, last = plan.changes[0], plan.changes[2]
    assert first == plan.changes[0] != last and first in plan.changes and plan.drift[0] not in plan.changes
    assert plan.changes.index(last) == 2 and plan.changes.count(first) == 1 and list(reversed(plan.changes))[0] == last
    assert len({first, plan.changes[0], last}) == 2
    for index in (3, -4, 2**70):
        with pytest.raises(IndexError):
            plan.changes[index]


def test_changes_are_found_by_their_addresses(plan: objchange.Plan) -> None:
    assert plan.changes['disk.two["x"]'] == plan.changes[1] and plan.drift["disk.three"] == plan.drift[0]
    assert "disk.three" in plan.changes and "disk.four" not in plan.changes
    assert plan.outputs["later"] == plan.outputs[1] and "known" in plan.outputs
    created = plan.changes.filter(action="create")
    assert created['disk.two["x"]'] == plan.changes[1] and "disk.three" not in created
    for error in (KeyError, objchange.Error):
        with pytest.raises(error, match="there is no disk.thre; did you mean disk.three?"):
            plan.changes["disk.thre"]
    with pytest.raises(KeyError):
        created["disk.three"]
    for index in (1.5, None, ("disk.three",)):
        with pytest.raises(TypeError, match="indices are integers, slices and names, not"):
            plan.changes[index]  # type: ignore[call-overload]
    with pytest.raises(KeyError):
        plan.changes["\ud800"]
    both = [change("disk.a", ["delete"], {}, None, deposed="k1"), change("disk.a", ["update"], {"size": 1}, {"size": 2})]
    of_address = objchange.Plan.load(plan_text(*both).encode()).changes
    assert of_address["disk.a"].deposed is None and of_address["disk.a:k1"].deposed == "k1"


def test_changes_are_counted_and_filtered(plan: objchange.Plan, secret: str) -> None:
    assert list(plan.changes.counts) == list(objchange.ACTIONS)
    assert {action: count for action, count in plan.changes.counts.items() if count} == {"no-op": 1, "create": 1, "replace": 1}
    assert [change.action for change in plan.changes] == ["replace", "create", "no-op"]
    addresses = [change.address for change in plan.changes]

    def found(**choice: Any) -> list[int]:
        return [addresses.index(change.address) for change in plan.changes.filter(**choice)]

    assert found(action="create") == [1] and found(action=["replace", "no-op"]) == [0, 2]
    assert found(module="module.a") == [0] and found(only="module.*") == [0] and found(exclude=["module.a"]) == [1, 2]
    assert found(type="d*k") == [0, 1, 2] and found(type="other") == [] and found() == [0, 1, 2]
    assert found(action="destroy") == []
    assert len(plan.changes.filter(type="disk").filter(action="create")) == 1
    assert [change.address for change in plan.changes.filter(action=["create", "no-op"])[1:]] == ["disk.three"]
    assert repr(plan.changes) == "<ChangeList: 3 changes: 1 no-op, 1 create, 1 replace>"
    assert repr(plan.changes.filter(action="create")) == "<ChangeList: 1 change: 1 create>"
    assert repr(plan.deferred) == "<ChangeList: 0 changes>"
    assert repr(plan) == "<Plan: 3 resource changes: 1 no-op, 1 create, 1 replace>"
    assert repr(plan.outputs) == "<OutputList: 2 outputs: known, later>"
    odd = objchange.Plan.load(plan_text(change("disk.a", ["melt"], {}, {})).encode()).changes
    # Nobody knows that it is no deletion.
    assert odd[0].action == "unknown" and odd.counts["unknown"] == 1 and len(odd.filter(action="delete")) == 1
    with pytest.raises(objchange.OptionError, match="did you mean delete"):
        plan.changes.filter(action="delet")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword argument 'typ'; did you mean type"):
        plan.changes.filter(typ="disk")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="argument 'type'"):
        plan.changes.filter(type=7)  # type: ignore[arg-type]


def test_changes_as_dicts(plan: objchange.Plan, secret: str) -> None:
    one = plan.changes[0]
    assert one.to_dict() == {name: getattr(one, name) for name in one.to_dict()}
    assert (one.to_dict()["action"], one.to_dict()["after"]["id"]) == ("replace", UNKNOWN)
    assert plan.outputs["known"].to_dict() == {
        "name": "known",
        "action": "create",
        "actions": ["create"],
        "before": None,
        "after": [1],
    }
    assert plan.to_dict() == json.loads(plan.json()) and plan.to_dict(action="create")["counts"]["create"] == 1
    assert secret not in str(one.to_dict()) + str(plan.to_dict())


def test_outputs(plan: objchange.Plan) -> None:
    known, later = plan.outputs
    assert (known.name, known.after, known.before) == ("known", [1], None)
    assert later.after is UNKNOWN


def test_a_schema_tells_sets_and_what_is_sensitive(secret: str) -> None:
    text = plan_text(change("disk.a", ["create"], None, {"id": None, "size": 1, "ports": [443, 80], "token": secret}))
    plain = objchange.Plan.load(text.encode()).changes[0].after
    assert plain["ports"] == [443, 80] and plain["token"] == secret
    typed = objchange.Plan.load(text.encode(), schemas=SCHEMAS).changes[0].after
    assert isinstance(typed["ports"], objchange.Set)
    assert typed["ports"] == {80, 443} and list(typed["ports"]) == [80, 443]
    assert typed["token"] == objchange.Sensitive(secret)
    assert secret not in repr(typed)


def test_what_does_not_fit_its_schema_is_an_error(secret: str) -> None:
    text = plan_text(change("disk.a", ["create"], None, {"size": [secret]}))
    with pytest.raises(objchange.SchemaError) as caught:
        objchange.Plan.load(text.encode(), schemas=SCHEMAS).changes[0].after
    assert caught.value.path == "disk.a.size" and secret not in str(caught.value)


def test_documents_are_read_from_paths_bytes_files_and_texts(tmp_path: Path) -> None:
    text = plan_text(change("disk.a", ["create"], None, {"size": 1}))
    path = tmp_path / "plan.json"
    path.write_text(text)
    with path.open("rb") as binary, path.open() as words:
        sources: list[Any] = [path, str(path), text.encode(), bytearray(text.encode()), memoryview(text.encode())]
        documents = [objchange.load(source) for source in (*sources, binary, words, io.StringIO(text))]
        documents += [objchange.loads(text), objchange.loads(text.encode("utf-16"))]
    for document in documents:
        assert isinstance(document, objchange.Plan) and len(document.changes) == 1
    assert [document.file for document in documents[:3]] == [str(path), str(path), None]
    with pytest.raises(FileNotFoundError) as missing:
        objchange.load(tmp_path / "none")
    assert missing.value.filename == str(tmp_path / "none")
    with pytest.raises(IsADirectoryError) as folder:
        objchange.load(tmp_path)
    assert folder.value.filename == str(tmp_path)
    for wrong in (7, None, object()):
        with pytest.raises(TypeError):
            objchange.load(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        (b"", "empty", 1),
        (b"[]", "not_an_object", 1),
        (b"{}", "no_format_version", 1),
        (b'{"format_version":"1.2",\n"resource_changes":[', "truncated", 2),
        (b'{"format_version":"7.0","resource_changes":[]}', "unsupported_version", 1),
        (b'{"format_version":"1.2",\n"resource_changes":[{"address":"a.b","index":[],"change":7}]}', "malformed", 2),
        (b"PK\x03\x04", "archive", None),
        (b'{"format_version":"1.2","x":"\xff"}', "encoding", 1),
    ],
)
def test_errors_have_a_kind_and_a_place(tmp_path: Path, text: bytes, kind: str, line: int | None) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(text)
    with pytest.raises(objchange.Error) as caught:
        objchange.load(path)
    error = caught.value
    assert isinstance(error, objchange.DocumentError)
    assert (error.kind, error.line, error.file) == (kind, line, str(path))
    assert str(error).startswith(str(path)) and error.message in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.kind, again.line) == (str(error), error.kind, error.line)


SAVED = Path(__file__).parents[2] / "saved/tests/files"


def test_plan_files_are_read_as_their_documents() -> None:
    document = objchange.Plan.load(SAVED / "replace.json")
    for source in (SAVED / "replace.tfplan", (SAVED / "replace.tfplan").read_bytes()):
        plan = objchange.Plan.load(source)
        assert [change.address for change in plan.changes] == [change.address for change in document.changes]
        assert plan.hash() == document.hash()
    with pytest.raises(objchange.DocumentError) as caught:
        objchange.Plan.load(SAVED / "unreadable-configuration.tfplan")
    assert caught.value.kind == "configuration"


def test_actions_and_sources_of_plan_files_are_read() -> None:
    schemas = objchange.Schemas.load(SAVED / "actions-schemas.json")
    plan = objchange.Plan.load(SAVED / "actions.tfplan", schemas=schemas)
    document = objchange.Plan.load(SAVED / "actions.json", schemas=schemas)
    assert plan.hash() == document.hash()
    assert [change.deferred_reason for change in plan.deferred] == ["deferred_prereq"]
    other = objchange.Plan.load(SAVED / "create.tfplan")
    assert "! main.tf: another text" in plan.diff(other).text()
    assert "Sources" not in document.diff(other).text()


def test_policies_hide_what_schemas_call_sensitive(secret: str) -> None:
    from objchange import policy

    text = plan_text(change("disk.a", ["create"], None, {"token": secret})).encode()
    rule = "package main\ndeny contains rc.change.after.token if { some rc in input.tfplan.resource_changes }\n"
    said = [
        repr(policy.rego(objchange.Plan.load(text, schemas), {"p.rego": rule}).rules[0].findings)
        for schemas in (None, SCHEMAS)
    ]
    assert [secret in found for found in said] == [True, False]


def test_text_around_a_document_is_passed_over_with_a_warning() -> None:
    text = "Refreshing state...\n" + plan_text(change("disk.a", ["create"], None, {}))
    with pytest.warns(objchange.DocumentWarning, match="line 2"):
        assert len(objchange.Plan.load(text.encode()).changes) == 1


def test_states(secret: str) -> None:
    file = {
        "version": 4,
        "serial": 1,
        "lineage": "x",
        "terraform_version": "1.9.0",
        "outputs": {"shown": {"value": 1, "type": "number"}, "hidden": {"value": secret, "type": "string", "sensitive": True}},
        "resources": [
            {
                "mode": mode,
                "type": "disk",
                "name": "a",
                "module": "module.m",
                "provider": 'provider["registry.terraform.io/example/disks"]',
                "instances": [
                    {
                        "index_key": "k",
                        "attributes": {"size": 1, "token": secret},
                        "sensitive_attributes": [[{"type": "get_attr", "value": "token"}]],
                        "dependencies": ["disk.b"],
                        "status": "tainted",
                    }
                ],
            }
            for mode in ("managed", "data")
        ],
    }
    state = objchange.State.load(json.dumps(file).encode())
    assert isinstance(objchange.loads(json.dumps(file)), objchange.State)
    (managed,) = [resource for resource in state.resources if resource.mode == "managed"]
    assert (managed.address, managed.key, managed.tainted) == ('module.m.disk.a["k"]', "k", True)
    assert managed.depends_on == ["disk.b"]
    assert managed.values == {"size": 1, "token": objchange.Sensitive(secret)}
    assert state.outputs["shown"].value == 1
    assert state.resources['module.m.disk.a["k"]'] == managed
    assert repr(state.resources).startswith("<ResourceList: 1 resource: module.m.")
    assert state.outputs["hidden"].value == objchange.Sensitive(secret) and state.outputs["hidden"].sensitive
    for text in (repr(state), state.text(), state.summary(), state.json(), state.html(), repr(managed.values)):
        assert secret not in text
    with pytest.raises(objchange.DocumentError) as caught:
        objchange.Plan.load(json.dumps(file).encode())
    assert caught.value.kind == "state"
    with pytest.raises(objchange.DocumentError):
        objchange.State.load(plan_text().encode())


def test_pages_are_those_of_the_program(plan: objchange.Plan, tmp_path: Path) -> None:
    path = REPOSITORY / "examples/approval/approved.json"
    path = path if path.exists() else next((REPOSITORY / "examples/approval").glob("*.json"))
    document = objchange.load(path)

    def printed(*arguments: str) -> str:
        files = [] if "--print-template" in arguments else [str(path)]
        command = [sys.executable, "-m", "objchange._cli", "show", *files, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    assert document.text() == printed()
    assert document.text(full=True) == printed("--full")
    assert document.summary(group_by="type") == printed("--summary", "--group-by", "type")
    assert document.markdown(title="T") == printed("--format", "markdown", "--title", "T")
    assert document.html() == printed("--format", "html")
    assert document.json() == printed("--json")
    choice = ("--only", "aws_s3_bucket.*", "--only", "aws_instance.*", "--exclude", "aws_eip.ip", "--action", "delete,update")
    only: list[str] = ["aws_s3_bucket.*", "aws_instance.*"]
    assert document.text(only=only, exclude="aws_eip.ip", action=["delete", "update"]) == printed(*choice)
    assert document.summary(type="aws_i*", no_drift=True) == printed("--summary", "--type", "aws_i*", "--no-drift")
    assert document.json(ignore="tags") == printed("--json", "--ignore", "tags")
    assert document.html(match_sets=True, match_lists=True) == printed("--format", "html", "--match-sets", "--match-lists")
    assert document.text(program="opentofu", mode="refresh-only") == printed("--as", "opentofu", "--mode", "refresh-only")
    opened = document.text(program="opentofu", show_sensitive=True)
    assert opened == printed("--as", "opentofu", "--show-sensitive")
    template = tmp_path / "page.md.jinja"
    template.write_text(printed("--print-template"))
    arguments = ("--format", "markdown", "--template", str(template), "--title", "T")
    assert document.markdown(template=template, title="T") == printed(*arguments)
    assert "\x1b[" in document.text(color=True)


def test_pages_show_no_secrets(plan: objchange.Plan, secret: str) -> None:
    pages = [plan.text(full=True), plan.markdown(), plan.html(), plan.summary(), plan.json(), plan._repr_html_()]
    pages += [repr(plan), repr(plan.changes[0]), repr(plan.changes[0].after), repr(plan.changes), repr(plan.outputs)]
    for page in pages:
        assert secret not in page


STATE = '{"version": 4, "serial": 1, "lineage": "x"}'


def test_a_choice_that_matches_nothing_is_warned_of(plan: objchange.Plan) -> None:
    with pytest.warns(objchange.DocumentWarning, match="only disk.thre matches nothing here: did you mean disk.three?"):
        plan.summary(only="disk.thre")


def test_a_template_does_not_lead_out(plan: objchange.Plan, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "secrets").write_text("the content")
    (tmp_path / "inside/page.jinja").symlink_to("../secrets")
    with pytest.raises(OSError) as caught:
        plan.markdown(template=tmp_path / "inside/page.jinja")
    assert "the content" not in str(caught.value)


def test_notebooks_show_the_page_folded_and_bounded(plan: objchange.Plan, secret: str) -> None:
    page = plan._repr_html_()
    assert page.startswith('<div class="objchange">') and "<script" not in page
    assert "1 to replace" in page and "<details" in page and "Left out" not in page
    marks = "<script>alert(1)</script>"
    odd = change(f'disk.a["{marks}"]', ["create"], None, {"text": marks + "&\u202e" + '"', marks: 1})
    page = objchange.Plan.load(plan_text(odd).encode())._repr_html_()
    assert "<script" not in page and "&lt;script&gt;" in page and "\u202e" not in page
    many = [change(f"disk.d{i}", ["create"], None, {"size": i, "text": "x" * 50}) for i in range(5_000)]
    many += [change(f"disk.gone{i}", ["delete"], {"text": "y" * 200_000}, None) for i in range(30)]
    page = objchange.Plan.load(plan_text(*many).encode())._repr_html_()
    assert 50_000 < len(page.encode()) < 101_000
    # What is lost comes first.
    assert all(f"disk.gone{i}<" in page for i in range(30))
    assert f"Left out, to keep this short: {5_030 - page.count('<code>disk.')} of 5030 entries and the diffs of" in page
    state = objchange.loads(STATE)
    assert "no resources" in state._repr_html_()
    compared = objchange.Plan.load(plan_text(*many).encode()).diff(plan)._repr_html_()
    assert len(compared) < 101_000 and "Left out: " in compared


def test_packed_documents_are_read(tmp_path: Path) -> None:
    text = plan_text(change("disk.a", ["create"], None, {"size": 1})).encode()
    packed = gzip.compress(text)
    (tmp_path / "plan.json.gz").write_bytes(packed)
    (tmp_path / "schemas.json.gz").write_bytes(gzip.compress(SCHEMAS))
    for source in (tmp_path / "plan.json.gz", packed, bytearray(packed), io.BytesIO(packed)):
        plan = objchange.Plan.load(source, schemas=tmp_path / "schemas.json.gz")
        assert plan.changes[0].after["size"] == 1 and plan.changes[0].after["ports"] is None
    (tmp_path / "tfplan.gz").write_bytes(gzip.compress((SAVED / "replace.tfplan").read_bytes()))
    assert objchange.Plan.load(tmp_path / "tfplan.gz").hash() == objchange.Plan.load(SAVED / "replace.tfplan").hash()
    (tmp_path / "cut.gz").write_bytes(packed[:-5])
    for broken in (packed[:-5], tmp_path / "cut.gz"):
        with pytest.raises(objchange.DocumentError, match="the gzip file is cut off") as caught:
            objchange.load(broken)
        assert caught.value.kind == "damaged"


def test_options_that_do_not_fit(plan: objchange.Plan) -> None:
    for call in (
        lambda: plan.text(program="terraform@9"),
        lambda: plan.summary(group_by="colour"),  # type: ignore[arg-type]
        lambda: plan.markdown(max_length=10),
        lambda: plan.hash(key=b"short"),
        lambda: plan.diff(plan, map=["a"]),
        lambda: plan.diff(plan, ignore=[""]),
        lambda: plan.hash(ignore=[""]),
        lambda: plan.text(ignore=""),
        lambda: plan.text(mode="other"),  # type: ignore[arg-type]
        lambda: plan.text(action="melt"),  # type: ignore[arg-type]
        lambda: plan.text(drift=True, no_drift=True),
        lambda: plan.text(show_sensitive=True),
        lambda: plan.markdown(template=b"{% if %}"),
        lambda: plan.markdown(timeout=-1),
        lambda: objchange.loads(STATE).text(action="create"),
        lambda: objchange.loads(STATE).json(mode="normal"),
    ):
        with pytest.raises(objchange.OptionError):
            call()


def test_two_plans_are_compared(plan: objchange.Plan, secret: str) -> None:
    def one(size: int, **more: object) -> objchange.Plan:
        return objchange.Plan.load(plan_text(change("disk.a", ["create"], None, {"size": size, "token": secret}, **more)).encode())

    same = one(1).diff(one(1))
    assert same.is_same and same.result == "same" and same.counts["same"] == 1
    other = one(1).diff(one(2), ignore=["nothing"])
    assert not other.is_as_expected and other.counts["other_values"] == 1
    assert other.unmatched == ["ignore nothing"]
    assert other.markdown(marker="m", title="T").startswith("<!-- objchange:m -->\n## T")
    with pytest.raises(objchange.OptionError):
        other.markdown(max_length=10)
    assert one(1).hash(ignore=["size"]) == one(2).hash(ignore=["size"]) != one(1).hash()
    assert repr(other) == "<Comparison: different, 1 as a surprise, 0 as expected>"
    assert "size" in other.text() and json.loads(other.json())
    hidden = {"before_sensitive": False, "after_sensitive": {"token": True}}
    compared = one(1, **hidden).diff(one(2, **hidden))
    for page in (compared.text(), compared.markdown(), compared.json(), compared._repr_html_()):
        assert secret not in page
    assert one(1).hash() == one(1).hash() != one(2).hash()
    assert one(1).hash(key=b"0123456789abcdef") != one(1).hash()
    with pytest.raises(objchange.DocumentError) as caught:
        objchange.Plan.load(plan_text(change("disk.a", ["create"], None, {}), errored=True).encode()).hash()
    assert caught.value.kind == "errored"


def test_one_text_stands_for_a_list_of_one() -> None:
    text = plan_text(change("disk.a", ["update"], {"tags": "a", "password": "s"}, {"tags": "b", "password": "s"}))
    plan = objchange.Plan.load(text.encode(), mask="*password*")
    assert plan.hash(ignore="tags") == plan.hash(ignore=["tags"]) != plan.hash()
    assert plan.diff(plan, ignore="tags", map="disk.a=disk.b").is_same
    listed = objchange.loads(text, mask=["*password*"])
    assert isinstance(listed, objchange.Plan)
    assert plan.changes[0].to_dict() == listed.changes[0].to_dict()
    with pytest.raises(TypeError):
        plan.hash(ignore=7)  # type: ignore[arg-type]
