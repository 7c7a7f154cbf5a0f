"""The stubs say what there is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import objchange

HERE = Path(__file__).parent


def run(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=HERE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_fit_the_package(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    # The types of these are in their source, which mypy checks below; without Spark and pyarrow they cannot be imported.
    # Stubtest takes a `Literal` with several words for a union, which it is not when it runs (mypy 2.4.1).
    names = ["spark.*", "arrow\\.pyarrow", "_actions\\.Action"]
    allowed = tmp_path / "allowed"
    allowed.write_text("".join(f"objchange\\.{name}\n" for name in names))
    config = str(HERE.parents[2] / "pyproject.toml")
    options = ["--mypy-config-file", config, "--allowlist", str(allowed), "--ignore-unused-allowlist"]
    run("mypy.stubtest", "objchange", *options)


def test_the_tests_are_typed() -> None:
    pytest.importorskip("mypy")
    run("mypy", "--strict", *(str(path) for path in HERE.glob("*.py")))


def test_everything_public_is_documented() -> None:
    for name in objchange.__all__:
        thing = getattr(objchange, name)
        # A text has no documentation of its own, and neither has the alias of a type.
        assert name in ("__version__", "Action") or thing.__doc__, name
        if isinstance(thing, type) and thing.__module__ == "objchange":
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    assert value.__doc__, f"{name}.{member}"
