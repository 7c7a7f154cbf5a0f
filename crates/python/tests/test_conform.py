"""Providers are tested from Python, and by the plugin for pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

import objchange

KIT = Path(os.environ.get("OBJCHANGE_TEST_PROVIDER", REPOSITORY / "target/debug/terraform-provider-kit"))
needs_kit = pytest.mark.skipif(not KIT.exists(), reason="the provider of the tests is not built: cargo build -p objchange-conform")


@needs_kit
def test_a_provider_is_tested() -> None:
    report = objchange.conform(KIT, only="kit_planned_string", kinds="resource", cases=10)
    (of,) = report.types
    assert (of.subject, of.name, of.skipped) == ("resource", "kit_planned_string", None)
    (finding,) = report.findings
    assert (finding.clause, finding.kind, finding.severity, finding.path) == ("P5", "not_config", "error", "name")
    assert finding.config["name"] == "a" and not report.passed
    assert report.document["seed"] == 0


@needs_kit
def test_what_cannot_be_tested() -> None:
    with pytest.raises(objchange.ProviderError):
        objchange.conform(KIT, only="no_such_type")
    with pytest.raises(objchange.ProviderError):
        objchange.conform(KIT, kinds="nonsense")
    with pytest.raises(objchange.ProviderError):
        objchange.conform("./no-such-provider")


COMMAND = [sys.executable, "-m", "pytest", "-p", "no:objchange", "-p", "objchange.pytest_plugin", "-p", "no:cacheprovider"]


def plugin(folder: Path, *options: str) -> tuple[int, str]:
    """The answer of pytest with the plugin, in an empty folder."""
    command = [*COMMAND, "--objchange-provider", str(KIT), "--objchange-cases=5", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@needs_kit
def test_the_provider_itself_is_tested() -> None:
    report = objchange.conform(KIT, kinds="provider")
    assert report.passed and [(of.subject, of.name) for of in report.types] == [("provider", "")]


@needs_kit
def test_the_plugin_tests_all_that_the_program_tests(tmp_path: Path) -> None:
    code, text = plugin(tmp_path, "--collect-only", "-q")
    assert code == 0, text
    with pytest.raises(objchange.ProviderError):
        objchange.conform(KIT, cases=0)
    items = {line.rpartition("::")[2].strip() for line in text.splitlines() if "::" in line}
    kinds = {item.partition(":")[0] for item in items}
    assert kinds == {"provider", "resource", "data_source", "ephemeral_resource", "list_resource", "action", "function"}, text
    code, text = plugin(tmp_path, "--objchange-only=same", "--objchange-only=impure", "--objchange-only=kit_endless", "-v")
    assert code == 1 and "1 failed, 2 passed" in text, text
    # Without --objchange-apply nobody opens an ephemeral resource: that is no pass.
    hints = tmp_path / "hints.json"
    hints.write_text('{"types": [{"type": "kit_thing", "skip": "it costs money"}]}')
    code, text = plugin(tmp_path, "--objchange-only=kit_thing", f"--objchange-hints={hints}", "-rs")
    assert code == 5 and "it costs money" in text and "passed" not in text, text
    code, text = plugin(tmp_path, "--objchange-only=kit_other", "-rs", "-v")
    assert code == 0 and "ephemeral_resource:kit_other SKIPPED" in text and "passed" in text, text


@needs_kit
@pytest.mark.parametrize(
    "options",
    [
        ["--objchange-only=kit_other*", "--objchange-only=no_such_type"],
        ["--objchange-only=no_such_type", "--objchange-only=kit_other*"],
        ["--objchange-only="],
        ["--objchange-only=[kit_thing]"],
        ["--objchange-only=provider"],
    ],
)
def test_each_choice_of_the_plugin_chooses_something(tmp_path: Path, options: list[str]) -> None:
    code, text = plugin(tmp_path, "--collect-only", *options)
    assert code == 4 and "--objchange-only" in text, text


@needs_kit
def test_the_plugin_makes_a_test_of_each_type(tmp_path: Path) -> None:
    options = ["--objchange-provider", str(KIT), "--objchange-cases=10"]
    names = ["--objchange-only=kit_planned_string"]
    done = subprocess.run([*COMMAND, *options, *names, "-v"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    assert 'resource "kit_planned_string" "smallest"' in done.stdout
    assert all(f"::{kind}:kit_planned_string FAILED" in done.stdout for kind in ("resource", "list_resource")), done.stdout
    broken = subprocess.run([*COMMAND, "--objchange-provider", "no-such-provider"], cwd=tmp_path, capture_output=True, text=True)
    assert broken.returncode not in (0, 5), broken.stdout
    beside = tmp_path / "test_other.py"
    beside.write_text("def test_other():\n    pass\n", encoding="utf-8")
    nothing = [*COMMAND, "--objchange-provider", str(KIT), "--objchange-only=no_such_type", str(beside)]
    done = subprocess.run(nothing, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode not in (0, 5) and "--objchange-only" in done.stdout + done.stderr, done.stdout + done.stderr
