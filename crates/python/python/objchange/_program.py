"""The program that the package has inside, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence


def run(arguments: Sequence[str], timeout: float | None = None) -> tuple[int, str, str]:
    """Runs the program: its exit code, what it printed, and what it said on standard error."""
    command = [sys.executable, "-m", "objchange._cli", "--color=never", *arguments]
    done = subprocess.run(command, capture_output=True, timeout=timeout, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace").strip()
