"""Testing a provider against its contract with Terraform, by the program that the package has inside."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from ._errors import ProviderError
from ._program import run

_Path: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True)
class ConformFinding:
    """A way in which a provider breaks its contract with Terraform."""

    clause: str
    """The clause of the contract, such as ``P5``."""
    kind: str
    """The stable name of the way in which it is broken."""
    severity: str
    """``"error"`` where Terraform stops, or ``"warning"``."""
    path: str
    """Where in the object."""
    message: str
    """The sentence about the problem."""
    config: Any
    """The smallest configuration that shows it, as JSON has it; ``None`` where there is none to show."""


@dataclass(frozen=True)
class ConformType:
    """The findings about one type or function of a provider."""

    subject: str
    """``"resource"``, ``"data_source"``, ``"function"`` and others."""
    name: str
    """Its name; ``""`` is the provider itself."""
    skipped: str | None
    """Why it was not tried; ``None`` if it was."""
    findings: tuple[ConformFinding, ...]
    """The problems with it."""


@dataclass(frozen=True)
class ConformReport:
    """The findings about a provider."""

    types: tuple[ConformType, ...]
    """The findings about each of its types and functions."""
    document: dict[str, Any]
    """The whole report, in the form of ``schema/conform-report.schema.json``."""
    passed: bool
    """Something was tried, and nothing is wrong that Terraform stops at: ``objchange conform`` exits with 0."""

    @property
    def findings(self) -> list[ConformFinding]:
        """All findings."""
        return [finding for of in self.types for finding in of.findings]


def _listed(text: str | Iterable[str]) -> list[str]:
    return [text] if isinstance(text, str) else list(text)


def arguments_of(
    *,
    only: str | Iterable[str] = (),
    kinds: str | Iterable[str] = (),
    hints: _Path | None = None,
    apply: bool = False,
    seed: int = 0,
    cases: int = 100,
) -> list[str]:
    """The options of ``objchange conform``."""
    arguments = [f"--seed={seed}", f"--cases={cases}"]
    arguments += [f"--only={glob}" for glob in _listed(only)] + [f"--kind={kind}" for kind in _listed(kinds)]
    if hints is not None:
        arguments.append(f"--hints={os.fspath(hints)}")
    if apply:
        arguments.append("--apply")
    return arguments


def _finding(finding: dict[str, Any]) -> ConformFinding:
    return ConformFinding(
        clause=finding["clause"],
        kind=finding["kind"],
        severity=finding["severity"],
        path=finding["place"] or "",
        message=finding["message"],
        config=finding["config"],
    )


def conform(
    binary: _Path,
    *,
    only: str | Iterable[str] = (),
    kinds: str | Iterable[str] = (),
    hints: _Path | None = None,
    apply: bool = False,
    seed: int = 0,
    cases: int = 100,
    timeout: float | None = None,
) -> ConformReport:
    """Tests a provider against its contract with Terraform, as ``objchange conform`` does. Nothing is created without ``apply``.

    ``only`` has names with ``*`` and ``?``, ``kinds`` such as ``"resource"``, ``hints`` is a file with values to try, ``cases`` the most
    configurations of a type, and ``timeout`` is in seconds.

    Raises `ProviderError` where the provider cannot be started or nothing could be tried, and ``subprocess.TimeoutExpired``.
    """
    options = arguments_of(only=only, kinds=kinds, hints=hints, apply=apply, seed=seed, cases=cases)
    code, text, message = run(["conform", "--json", *options, "--", os.fspath(binary)], timeout)
    try:
        document = json.loads(text) if code in (0, 1) else None
    except ValueError:
        document = None
    if document is None:
        raise ProviderError(message or "the provider cannot be tested", kind="conform", file=os.fspath(binary))
    types = tuple(
        ConformType(of["subject"], of["name"], of.get("skipped"), tuple(_finding(finding) for finding in of["findings"]))
        for of in document["types"]
    )
    return ConformReport(types, document, passed=code == 0)
