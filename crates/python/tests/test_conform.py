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
    assert (finding.clause, finding.kind, finding.severity, finding.path) == ("P5", "not_config", "error", ".name")
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


@needs_kit
def test_the_plugin_makes_a_test_of_each_type(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-p", "no:objchange", "-p", "objchange.pytest_plugin", "-p", "no:cacheprovider"]
    options = ["--objchange-provider", str(KIT), "--objchange-cases=10"]
    names = ["--objchange-only=kit_planned_string", "--objchange-only=kit_good*"]
    done = subprocess.run([*command, *options, *names, "-v"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    assert 'resource "kit_planned_string" "smallest"' in done.stdout
    assert "resource:kit_planned_string" in done.stdout and "1 failed" in done.stdout
    broken = subprocess.run([*command, "--objchange-provider", "no-such-provider"], cwd=tmp_path, capture_output=True, text=True)
    assert broken.returncode not in (0, 5), broken.stdout
    beside = tmp_path / "test_other.py"
    beside.write_text("def test_other():\n    pass\n", encoding="utf-8")
    for found in [[], ["--objchange-only=kit_good*"]]:
        nothing = [*command, "--objchange-provider", str(KIT), "--objchange-only=no_such_type", *found, str(beside)]
        done = subprocess.run(nothing, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode not in (0, 5) and "--objchange-only" in done.stdout + done.stderr, done.stdout + done.stderr
