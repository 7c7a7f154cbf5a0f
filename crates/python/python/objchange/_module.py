"""Planning a whole module, by the program that the package has inside."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from ._errors import ConfigurationError
from ._objchange import Plan
from ._program import run

_Path: TypeAlias = str | os.PathLike[str]


def plan_module(
    directory: _Path = ".",
    *,
    schemas: _Path | Iterable[_Path] = (),
    state: _Path | None = None,
    no_state: bool = False,
    variables: Mapping[str, Any] | None = None,
    var_files: Iterable[_Path] = (),
    targets: Iterable[str] = (),
    replace: Iterable[str] = (),
    destroy: bool = False,
    timeout: float | None = None,
) -> Plan:
    """Predicts the plan of the module in a directory without its providers, as ``objchange plan`` does.

    ``schemas`` are files with the output of ``terraform providers schema -json``; by default they come from the cache of the
    program. ``state`` is the prior state; without it, it is the state file of the directory. A module whose state is in a
    remote backend needs ``state``, or ``no_state`` if nothing exists yet. ``variables`` has values by name, and ``timeout``
    is in seconds.

    Raises `ConfigurationError` where the module cannot be planned: the message has all that is wrong; and
    ``subprocess.TimeoutExpired``.

    >>> plan = plan_module("examples/module", schemas="examples/aws_instance/schemas.json", variables={"name": "api"})
    >>> plan.simulated, len(plan.changes) > 0
    (True, True)
    """
    arguments = ["--json"]
    files = [schemas] if isinstance(schemas, (str, os.PathLike)) else schemas
    options = [("--schemas", files), ("--var-file", var_files), ("--target", targets), ("--replace", replace)]
    for option, values in options:
        arguments += [f"{option}={os.fspath(value)}" for value in values]
    if state is not None:
        arguments.append(f"--state={os.fspath(state)}")
    if no_state:
        arguments.append("--no-state")
    if destroy:
        arguments.append("--destroy")
    with tempfile.TemporaryDirectory(prefix="objchange-") as folder:
        if variables:
            # Variables may be secret. All users see the arguments of a process; only this one may read the folder.
            given = Path(folder) / "variables.tfvars.json"
            given.write_text(json.dumps(variables))
            arguments.append(f"--var-file={given}")
        code, text, message = run(["plan", *arguments, "--", os.fspath(directory)], timeout)
    if code != 0:
        raise ConfigurationError(message or "the module cannot be planned", kind="plan", file=os.fspath(directory))
    return Plan.load(text.encode())
