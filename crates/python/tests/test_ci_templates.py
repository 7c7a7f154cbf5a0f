"""The templates for CI, run as a runner does, with a `gh` and an API of GitLab that keep their comments in a file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from conftest import REPOSITORY, change, plan_text

yaml = pytest.importorskip("yaml")
for _program in ("bash", "curl", "jq"):
    if shutil.which(_program) is None:
        pytest.skip(f"{_program} is not installed", allow_module_level=True)

GITHUB = REPOSITORY / "examples/ci/github/action.yml"
APPROVAL = REPOSITORY / "examples/ci/github/approve-and-apply.yml"
GITLAB = REPOSITORY / "examples/ci/gitlab/objchange.gitlab-ci.yml"
MARKER = "<!-- objchange:plan -->"
# The commit of the pull request.
COMMIT = "0123456789abcdef0123456789abcdef01234567"
DENY = 'package main\ndeny contains rc.address if { some rc in input.tfplan.resource_changes; "delete" in rc.change.actions }\n'

FAKE_GH = """#!%(python)s
import json, os, pathlib, subprocess, sys
store = pathlib.Path(os.environ["FAKE_STORE"])
state = json.loads(store.read_text())
arguments = sys.argv[1:]
state["calls"].append(arguments)
store.write_text(json.dumps(state))
def fail(status):
    # As gh does: what the API says on standard output, and a sentence on standard error.
    print(json.dumps({"message": "no", "status": str(status)}))
    print("gh: no (HTTP %%d)" %% status, file=sys.stderr)
    sys.exit(1)
def option(name):
    return arguments[arguments.index(name) + 1] if name in arguments else None
def show(document):
    query = option("--jq")
    if query is None:
        print(json.dumps(document))
    else:
        subprocess.run(["jq", "--raw-output", query], input=json.dumps(document), text=True, check=True)
assert arguments[0] == "api", arguments
paths = [argument for argument in arguments[1:] if argument.startswith(("user", "graphql", "repos/"))]
path = paths[0]
if path in state["broken"] or "all" in state["broken"]:
    fail(500)
field = option("--field")
if field is not None and "read-only" in state["broken"]:
    fail(403)
if path == "user":
    fail(403) if state["login"].endswith("[bot]") else show({"login": state["login"]})
elif path == "graphql":
    show({"data": {"viewer": {"login": state["login"]}}})
elif field is not None:
    name, _, file = field.partition("=@")
    assert name == "body"
    body = pathlib.Path(file).read_text()
    if option("--method") == "PATCH":
        number = int(path.rpartition("/")[2])
        next(c for c in state["comments"] if c["id"] == number)["body"] = body
    else:
        state["comments"].append({"id": 1000 + len(state["comments"]), "user": {"login": state["login"]}, "body": body})
    store.write_text(json.dumps(state))
else:
    assert path == "repos/o/r/issues/7/comments", path
    pages = [state["comments"][start:start + 30] for start in range(0, len(state["comments"]), 30)] or [[]]
    for page in pages if "--paginate" in arguments else pages[:1]:
        show(page)
"""


def comments(*given: tuple[str, str | None]) -> list[dict[str, Any]]:
    """Comments of these authors, with the forms of both sites."""
    return [
        {"id": number, "user": {"login": author}, "author": {"username": author}, "body": body}
        for number, (author, body) in enumerate(given, 1)
    ]


FOREIGN = ("mallory", f"{MARKER}\nNothing is destroyed, trust me.")
NOISE = [("someone", "I like it."), ("ghost", None)] * 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "plan.json").write_text(plan_text(change("disk.a", ["delete"], {"size": 1}, None)))
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies/deny.rego").write_text(DENY)
    (tmp_path / "bin").mkdir()
    shutil.copy(Path(sys.executable).parent / "objchange", tmp_path / "bin/objchange")
    return tmp_path


class GitHub:
    """Runs the action in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = folder / "store.json"
        gh = folder / "bin/gh"
        gh.write_text(FAKE_GH % {"python": sys.executable})
        gh.chmod(0o755)

    def run(
        self,
        inputs: dict[str, str],
        given: list[dict[str, Any]] | None = None,
        broken: tuple[str, ...] = (),
        login: str = "github-actions[bot]",
    ) -> tuple[bool, list[dict[str, Any]], str]:
        """Whether the job passes, the comments, and what it prints."""
        (self.folder / "objchange-status").unlink(missing_ok=True)
        state: dict[str, Any] = {"login": login, "comments": given or [], "broken": broken, "calls": []}
        self.store.write_text(json.dumps(state))
        action = yaml.safe_load(GITHUB.read_text())
        values = {name: str(entry.get("default", "")) for name, entry in action["inputs"].items()} | {"plan": "plan.json"}
        values |= inputs
        said, passes = "", True
        for step in action["runs"]["steps"]:
            if not self.is_run(step.get("if", ""), passes, values):
                continue
            done = subprocess.run(
                # The command of `shell: bash`.
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.folder,
                env={**self.environment(), **{key: expanded(value, values) for key, value in step.get("env", {}).items()}},
                capture_output=True,
                text=True,
                timeout=60,
            )
            said += done.stdout + done.stderr
            passes &= done.returncode == 0
        return passes, json.loads(self.store.read_text())["comments"], said

    def environment(self) -> dict[str, str]:
        own = {"GITHUB_STEP_SUMMARY": str(self.folder / "summary"), "GITHUB_OUTPUT": str(self.folder / "outputs")}
        own |= {"RUNNER_TEMP": str(self.folder), "FAKE_STORE": str(self.store), "GITHUB_PATH": str(self.folder / "path")}
        return {**os.environ, **own, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}

    @staticmethod
    def is_run(condition: str, passes: bool, values: dict[str, str]) -> bool:
        condition = condition.removeprefix("${{").removesuffix("}}").strip()
        known = {
            "": passes,
            "github.event_name == 'pull_request'": passes,
            "!cancelled()": True,
            "!cancelled() && inputs.rego != ''": values["rego"] != "",
        }
        return known[condition]


def expanded(text: str, values: dict[str, str]) -> str:
    """Replaces expressions as a runner does."""
    known = {f"inputs.{name}": value for name, value in values.items()}
    known |= {
        "github.token": "t",
        "github.server_url": "https://github.example",
        "github.repository": "o/r",
        "github.run_id": "1",
        "github.event.pull_request.number": "7",
        "github.event.pull_request.head.sha || github.sha": COMMIT,
    }
    for name, value in known.items():
        text = text.replace(f"${{{{ {name} }}}}", value)
    return text


@pytest.fixture
def github(folder: Path) -> GitHub:
    return GitHub(folder)


class GitLab:
    """Runs the job in a folder, with an API at 127.0.0.1."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.comments: list[dict[str, Any]] = []
        self.broken: tuple[str, ...] = ()
        site = self

        class Api(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                url = urlsplit(self.path)
                path = url.path.removeprefix("/api")
                if self.headers["PRIVATE-TOKEN"] != "secret" or f"{self.command} {path}" in site.broken:
                    self.send(500, {"message": "no"})
                elif path == "/user":
                    self.send(200, {"id": 5, "username": "project_1_bot"})
                else:
                    self.notes(path, parse_qs(url.query), parse_qs(body))

            do_GET = do_PUT = do_POST = answer

            def notes(self, path: str, query: dict[str, list[str]], form: dict[str, list[str]]) -> None:
                assert path.startswith("/projects/1/merge_requests/7/notes"), path
                number = path.removeprefix("/projects/1/merge_requests/7/notes").strip("/")
                if self.command == "GET":
                    page = int(query.get("page", ["1"])[0]) - 1
                    # No more than 40, whatever is asked for.
                    size = min(int(query.get("per_page", ["20"])[0]), 40)
                    return self.send(200, site.comments[page * size : (page + 1) * size])
                if self.command == "POST":
                    note: dict[str, Any] = {"id": 1000, "author": {"username": "project_1_bot"}, "body": form["body"][0]}
                    site.comments.append(note)
                    return self.send(201, note)
                note = next(note for note in site.comments if note["id"] == int(number))
                if note["author"]["username"] != "project_1_bot":
                    return self.send(403, {"message": "403 Forbidden"})
                note["body"] = form["body"][0]
                return self.send(200, note)

            def send(self, status: int, document: Any) -> None:
                text = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def run(
        self, variables: dict[str, str], given: list[dict[str, Any]] | None = None, broken: tuple[str, ...] = ()
    ) -> tuple[bool, list[dict[str, Any]], str]:
        self.comments, self.broken = given or [], broken
        job = yaml.safe_load(GITLAB.read_text())[".objchange"]
        (script,) = job["script"]
        own = {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "OBJCHANGE_TOKEN": "secret",
            "CI_MERGE_REQUEST_IID": "7",
            "CI_PROJECT_ID": "1",
            "CI_JOB_URL": "https://gitlab.example/1",
            "CI_API_V4_URL": f"http://127.0.0.1:{self.server.server_port}/api",
            "NO_PROXY": "127.0.0.1",
        }
        done = subprocess.run(
            ["sh", "-c", script],
            cwd=self.folder,
            env={**os.environ, **job["variables"], **own, **variables},
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.returncode == 0, self.comments, done.stdout + done.stderr


@pytest.fixture
def gitlab(folder: Path) -> Iterator[GitLab]:
    site = GitLab(folder)
    yield site
    site.server.shutdown()
    site.server.server_close()


def is_plan(body: str) -> bool:
    return body.startswith(f"{MARKER}\n") and "disk.a" in body


@pytest.mark.parametrize("login", ["github-actions[bot]", "our-app[bot]", "colleague"])
def test_github_updates_only_its_own_comment(github: GitHub, login: str) -> None:
    passes, found, said = github.run({}, comments(FOREIGN, *NOISE, (login, f"{MARKER}\nold")), login=login)
    assert passes, said
    assert len(found) == len(NOISE) + 2 and is_plan(found[-1]["body"])
    assert found[0]["body"] == FOREIGN[1]
    # Two of one's own: the first is the comment.
    passes, found, said = github.run({}, comments((login, f"{MARKER}\n1"), (login, f"{MARKER}\n2")), login=login)
    assert passes and is_plan(found[0]["body"]) and found[1]["body"] == f"{MARKER}\n2", said


@pytest.mark.parametrize("given", [[], [FOREIGN], [FOREIGN, ("github-actions[bot]", "<!-- objchange:plan2 -->")], NOISE])
def test_github_writes_a_first_comment(github: GitHub, given: list[tuple[str, str | None]]) -> None:
    passes, found, said = github.run({}, comments(*given))
    assert passes and is_plan(found[-1]["body"]), said
    assert [comment["body"] for comment in found[:-1]] == [body for _, body in given]


@pytest.mark.parametrize("broken", [("all",), ("repos/o/r/issues/7/comments",), ("repos/o/r/issues/comments/1",)])
def test_github_fails_if_the_comment_cannot_be_written(github: GitHub, broken: tuple[str, ...]) -> None:
    passes, found, said = github.run({"fail-on": "create"}, comments(("github-actions[bot]", MARKER)), broken)
    assert not passes and not is_plan(found[0]["body"]) and len(found) == 1
    # The gates have run all the same.
    assert "1 to destroy" in said


def test_github_falls_back_to_the_summary_if_the_token_can_only_read(github: GitHub) -> None:
    passes, found, said = github.run({}, broken=("read-only",))
    assert passes and found == [] and "::notice::" in said, said
    summary = (github.folder / "summary").read_text()
    assert is_plan(summary) and f"Commit: `{COMMIT}`" in summary
    assert not github.run({"fail-on": "delete"}, broken=("read-only",))[0]


def test_github_has_outputs_of_the_review(github: GitHub) -> None:
    github.run({"fail-on": "delete", "ignore": "tags_all\nsize"})
    outputs = dict(line.split("=", 1) for line in (github.folder / "outputs").read_text().splitlines())
    assert outputs["verdict"] == "refused" and outputs["total"] == "1 to destroy"
    assert outputs["hash"].startswith("v2+ignore.")
    # Without policies there is nothing to upload.
    assert "sarif" not in outputs
    for rego, is_written in (("policies", True), ("none", False)):
        (github.folder / "outputs").unlink(missing_ok=True)
        github.run({"rego": rego})
        text = (github.folder / "outputs").read_text() if (github.folder / "outputs").exists() else ""
        assert ("sarif=objchange.sarif" in text.splitlines()) is is_written, text


PLATFORMS = [
    ("Linux", "x86_64", "x86_64-unknown-linux-musl"),
    ("Linux", "aarch64", "aarch64-unknown-linux-musl"),
    ("Darwin", "arm64", "aarch64-apple-darwin"),
    ("Darwin", "x86_64", "x86_64-apple-darwin"),
    ("MINGW64_NT-10.0-20348", "x86_64", "x86_64-pc-windows-msvc"),
]
# A release has an archive and its checksum.
RELEASE = """echo "gh $*" >> "$CALLS"
[ "$HAS_RELEASE" = True ] || exit 1
mkdir "$NAME" && echo program > "$NAME/objchange" && tar -czf "$NAME.tar.gz" "$NAME"
sha256sum "$NAME.tar.gz" > "$NAME.tar.gz.sha256"
"""


@pytest.mark.parametrize(("system", "machine", "target"), PLATFORMS)
@pytest.mark.parametrize("has_release", [True, False])
def test_github_installs_a_release_or_builds(
    tmp_path: Path, system: str, machine: str, target: str, has_release: bool
) -> None:
    programs = {
        "uname": f'[ "$1" = -s ] && echo {system} || echo {machine}',
        "cargo": 'echo "cargo $*" >> "$CALLS"',
        "gh": RELEASE,
    }
    (tmp_path / "bin").mkdir()
    for name, script in programs.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/bash\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    [install, *_] = yaml.safe_load(GITHUB.read_text())["runs"]["steps"]
    own: dict[str, object] = {"CALLS": tmp_path / "calls", "RUNNER_TEMP": tmp_path}
    own |= {"GITHUB_PATH": tmp_path / "path"}
    own |= {"HAS_RELEASE": has_release, "NAME": f"objchange-{target}", "VERSION": "latest", "REPOSITORY": "o/r"}
    own |= {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", install["run"]]
    subprocess.run(command, env={key: str(value) for key, value in own.items()}, check=True)
    calls = (tmp_path / "calls").read_text()
    assert f"--pattern=objchange-{target}.tar.gz " in calls
    assert ("cargo install --locked" in calls) is not has_release
    folder = tmp_path / "objchange"
    assert (tmp_path / "path").read_text() == f"{folder if has_release else folder / 'bin'}\n"
    assert (folder / "objchange").exists() is has_release


def test_github_names_the_account_of_the_job_if_the_api_does_not(github: GitHub) -> None:
    given = comments(FOREIGN, ("github-actions[bot]", MARKER))
    passes, found, said = github.run({}, given, ("user", "graphql"))
    assert passes and is_plan(found[1]["body"]) and len(found) == 2, said


@pytest.mark.parametrize("inputs", [{"fail-on": "delete"}, {"rego": "policies"}])
def test_github_comments_and_fails_at_a_gate(github: GitHub, inputs: dict[str, str]) -> None:
    passes, found, said = github.run(inputs)
    assert not passes and is_plan(found[0]["body"]), said
    assert github.run({"fail-on": "create"})[0]


NO_PLANS = ["--help", "-h", "", "$(touch x)", '"; touch x; "', "plan.json --help"]


@pytest.mark.parametrize("plan", NO_PLANS)
def test_github_takes_inputs_for_what_they_are(github: GitHub, plan: str) -> None:
    for inputs in ({}, {"fail-on": "create"}, {"rego": "policies"}):
        assert not github.run({"plan": plan, **inputs})[0]
    for name in ("fail-on", "rego", "schemas") if plan else ():
        assert not github.run({name: plan})[0], name
    passes, found, said = github.run({"title": plan})
    assert passes and is_plan(found[0]["body"]), said
    assert not (github.folder / "x").exists()


def test_github_runs_as_its_page_says(github: GitHub) -> None:
    page = (REPOSITORY / "docs/ci.md").read_text()
    steps = [step for block in page.split("```yaml\n")[1:] for step in yaml.safe_load(block.split("```")[0])]
    [inputs] = [step["with"] for step in steps if "examples/ci/github" in step.get("uses", "")]
    [upload] = [step["with"]["sarif_file"] for step in steps if "upload-sarif" in step.get("uses", "")]
    assert inputs.keys() <= yaml.safe_load(GITHUB.read_text())["inputs"].keys()
    passes, found, said = github.run(inputs)
    assert not passes and is_plan(found[0]["body"]), said
    # The findings are uploaded, although the gate has failed.
    outputs = (github.folder / "outputs").read_text().splitlines()
    assert upload == "${{ steps.objchange.outputs.sarif }}"
    assert "sarif=objchange.sarif" in outputs and (github.folder / "objchange.sarif").exists()
    (github.folder / "plan.json").write_text(plan_text(change("disk.a", ["create"], None, {"size": 1})))
    passes, found, said = github.run(inputs)
    assert passes and is_plan(found[0]["body"]), said


def test_github_puts_no_expression_into_a_script() -> None:
    steps = yaml.safe_load(GITHUB.read_text())["runs"]["steps"]
    for job in yaml.safe_load(APPROVAL.read_text())["jobs"].values():
        steps += job["steps"]
    for step in steps:
        assert "${{" not in step.get("run", "")


TERRAFORM = """echo "$*" >> "$CALLS"
case "$1" in plan) cp "$PLANNED" tfplan ;; esac
"""


def test_the_example_applies_only_what_was_approved(github: GitHub) -> None:
    """The jobs of the example, where the second one plans the same, or something else."""
    folder = github.folder
    (folder / "bin/terraform").write_text(f"#!/bin/bash\n{TERRAFORM}")
    (folder / "bin/terraform").chmod(0o755)
    (folder / "other.json").write_text(plan_text(change("disk.b", ["delete"], {"size": 1}, None)))
    jobs = yaml.safe_load(APPROVAL.read_text())["jobs"]
    assert jobs["apply"]["environment"] == "production" and jobs["apply"]["needs"] == "plan"
    assert jobs["plan"]["outputs"] == {"approved": "${{ steps.hash.outputs.hash }}"}

    def run(job: str, planned: str, known: dict[str, str]) -> bool:
        (folder / "calls").write_text("")
        for step in jobs[job]["steps"]:
            if "run" not in step:
                continue
            given = {key: known.get(value, "") for key, value in step.get("env", {}).items()}
            own = {"CALLS": str(folder / "calls"), "PLANNED": planned, **given}
            command = ["bash", "-e", "-c", step["run"]]
            if subprocess.run(command, cwd=folder, env={**github.environment(), **own}, timeout=60).returncode:
                return False
        return True

    key = {"${{ secrets.HASH_KEY }}": "0123456789abcdef" * 4}
    assert run("plan", "plan.json", key)
    assert is_plan(f"{MARKER}\n" + (folder / "summary").read_text())
    [approved] = [line.removeprefix("hash=") for line in (folder / "outputs").read_text().splitlines()]
    known = {**key, "${{ needs.plan.outputs.approved }}": approved}
    for planned, is_applied in (("plan.json", True), ("other.json", False)):
        assert run("apply", planned, known) is is_applied
        assert ("apply -input=false tfplan" in (folder / "calls").read_text()) is is_applied
    # Without an approval, or with another key, nothing is applied.
    assert not run("apply", "plan.json", key)
    assert not run("apply", "plan.json", {**known, "${{ secrets.HASH_KEY }}": "x" * 64})


def test_gitlab_updates_only_its_own_note(gitlab: GitLab) -> None:
    noise = [("someone", "I like it.")] * 90
    passes, found, said = gitlab.run({}, comments(FOREIGN, *noise, ("project_1_bot", f"{MARKER}\nold")))
    assert passes, said
    assert len(found) == 92 and is_plan(found[-1]["body"]) and found[0]["body"] == FOREIGN[1]


@pytest.mark.parametrize("given", [[], [FOREIGN], [FOREIGN, ("project_1_bot", "<!-- objchange:plan2 -->")], [FOREIGN] * 81])
def test_gitlab_writes_a_first_note(gitlab: GitLab, given: list[tuple[str, str | None]]) -> None:
    passes, found, said = gitlab.run({}, comments(*given))
    assert passes and is_plan(found[-1]["body"]), said
    assert [note["body"] for note in found[:-1]] == [body for _, body in given]


@pytest.mark.parametrize("call", ["GET /user", "GET {notes}", "PUT {notes}/1"])
def test_gitlab_fails_if_the_note_cannot_be_written(gitlab: GitLab, call: str) -> None:
    broken = call.format(notes="/projects/1/merge_requests/7/notes")
    passes, found, said = gitlab.run({"OBJCHANGE_FAIL_ON": "create"}, comments(("project_1_bot", MARKER)), (broken,))
    assert not passes and [note["body"] for note in found] == [MARKER]
    assert "1 to destroy" in said
    # A job without a merge request has no note.
    assert gitlab.run({"CI_MERGE_REQUEST_IID": ""}, broken=(broken,))[0]


@pytest.mark.parametrize("variables", [{"OBJCHANGE_FAIL_ON": "delete"}, {"OBJCHANGE_REGO": "policies"}])
def test_gitlab_comments_and_fails_at_a_gate(gitlab: GitLab, variables: dict[str, str]) -> None:
    passes, found, said = gitlab.run(variables, comments(FOREIGN))
    assert not passes and is_plan(found[1]["body"]), said
    assert gitlab.run({"OBJCHANGE_FAIL_ON": "create"})[0]


@pytest.mark.parametrize("plan", NO_PLANS)
def test_gitlab_takes_variables_for_what_they_are(gitlab: GitLab, plan: str) -> None:
    for variables in ({}, {"OBJCHANGE_FAIL_ON": "create"}, {"OBJCHANGE_REGO": "policies"}):
        assert not gitlab.run({"OBJCHANGE_PLAN": plan, **variables})[0]
    for name in ("OBJCHANGE_FAIL_ON", "OBJCHANGE_REGO") if plan else ():
        assert not gitlab.run({name: plan})[0], name
    assert not (gitlab.folder / "x").exists()
