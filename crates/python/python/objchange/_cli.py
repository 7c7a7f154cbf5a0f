"""The program ``objchange``, which the package installs."""

from __future__ import annotations

import signal
import sys

from ._objchange import run_program


def main() -> int:
    """Runs the program with the arguments of the process, and gives its exit code."""
    # Python handles signals between its own instructions, and so would see an interrupt only after the program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_program(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
