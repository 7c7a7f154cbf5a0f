"""Policies over plans, in Rego and in Sentinel.

A verdict is `PASS`, `FAIL` or `UNDECIDED`: what depends on something that is known only after apply is undecided, and so is
what could not be evaluated. Neither ever passes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from ._errors import PolicyError
from ._objchange import Plan, PolicyResult, RegoPolicies, RuleResult, SentinelPolicies, files_below

__all__ = [
    "FAIL",
    "PASS",
    "UNDECIDED",
    "PolicyResult",
    "RegoPolicies",
    "RuleResult",
    "SentinelPolicies",
    "compile_rego",
    "compile_sentinel",
    "rego",
    "sentinel",
]

PASS: Final = "PASS"
FAIL: Final = "FAIL"
UNDECIDED: Final = "UNDECIDED"

_Path: TypeAlias = str | os.PathLike[str]
_Paths: TypeAlias = _Path | Iterable[_Path]


def _listed(paths: _Paths) -> list[Path]:
    return [Path(paths)] if isinstance(paths, (str, os.PathLike)) else [Path(path) for path in paths]


def _found(paths: _Paths, ending: str) -> list[Path]:
    """The files that are named, and those of folders."""
    found: list[Path] = []
    for path in _listed(paths):
        if not path.is_dir():
            found.append(path)
            continue
        files = files_below(path, (ending,))
        # A policy that is not evaluated must not look like one that passes.
        if not files:
            raise PolicyError(f"no file in this folder is called *{ending}", kind="no_rules", file=str(path))
        found += files
    return found


_Texts: TypeAlias = list[tuple[str, str]]


def rego_texts(policies: _Paths | Mapping[str, str]) -> tuple[_Texts, _Texts]:
    """Texts with their names: policies, and the tests in folders of them."""
    if isinstance(policies, Mapping):
        return list(policies.items()), []
    texts: _Texts = []
    tests: _Texts = []
    for path in _listed(policies):
        for file in _found(path, ".rego"):
            is_test = file != path and file.name.endswith("_test.rego")
            (tests if is_test else texts).append((str(file), file.read_text("utf-8-sig")))
    return texts, tests


def compile_rego(
    policies: _Paths | Mapping[str, str],
    *,
    data: Mapping[str, Any] | None = None,
    run: Mapping[str, Any] | None = None,
    input: Literal["auto", "collections", "raw", "wrapped"] = "auto",
    packages: str | Iterable[str] = (),
    rules: str | Iterable[str] = (),
    timeout: float = 60.0,
) -> RegoPolicies:
    """Compiles Rego policies once for any number of plans: files, folders of them, or texts by name.

    ``data`` is what policies see as ``data``, and ``run`` what they see as ``input.run``. ``input`` is the form of ``input``:
    ``"raw"`` is the document, and ``"wrapped"`` has the document as ``input.tfplan`` and ``run`` as ``input.tfrun``. ``packages`` and ``rules`` choose what is evaluated; ``timeout`` is in seconds, for
    compiling and for each plan.

    Raises `PolicyError` where a text is no policy or there is none, where one of ``packages`` and ``rules`` chooses nothing, and
    where a file of tests has a rule that would be evaluated in another file; and what ``open`` raises.
    """
    texts, tests = rego_texts(policies)
    return RegoPolicies(
        texts,
        tests=tests,
        data=None if data is None else json.dumps(data),
        run=None if run is None else json.dumps(run),
        input=input,
        packages=packages,
        rules=rules,
        timeout=timeout,
    )


def rego(
    plan: Plan,
    policies: RegoPolicies | _Paths | Mapping[str, str],
    *,
    data: Mapping[str, Any] | None = None,
    timeout: float = 60.0,
    allow_errored: bool = False,
    allow_trusting: bool = False,
) -> PolicyResult:
    """Judges a plan by Rego policies. For many plans compile them once with `compile_rego`.

    A plan whose planning ended with an error lacks changes: only ``allow_errored=True`` accepts it.
    One that `plan_module` made without ``strict=True`` may take values for known which a provider changes: only
    ``allow_trusting=True`` accepts it.

    Raises `PolicyError` and `DocumentError`, and what ``open`` raises.

    >>> text = 'package main\\ndeny contains rc.address if { some rc in input.tfplan.resource_changes; rc.change.after.size > 5 }'
    >>> result = rego(plan, {"size.rego": text})
    >>> result.verdict, result.rules[0].findings
    ('FAIL', [('disk.a', 'disk.a')])
    """
    if isinstance(policies, RegoPolicies):
        return policies.judge(plan, allow_errored=allow_errored, allow_trusting=allow_trusting)
    compiled = compile_rego(policies, data=data, timeout=timeout)
    return compiled.judge(plan, allow_errored=allow_errored, allow_trusting=allow_trusting)


def compile_sentinel(
    policies: _Paths,
    *,
    params: Mapping[str, Any] | None = None,
    timeout: float = 60.0,
    memory: int = 512,
) -> SentinelPolicies:
    """Compiles Sentinel policies once for any number of plans: policies, policy sets (``sentinel.hcl``), and folders of either.

    ``timeout`` is in seconds and ``memory`` in MiB, for each policy and plan.

    Raises `PolicyError` where a text is no policy or there is none, and where a folder has a policy that is not applied. Warns with
    `DocumentWarning` of policy sets below a folder that are not applied, and of parts of a set without effect.
    """
    text = None if params is None else json.dumps(params)
    return SentinelPolicies(_listed(policies), params=text, timeout=timeout, memory=memory)


def sentinel(
    plan: Plan,
    policies: SentinelPolicies | _Paths,
    *,
    params: Mapping[str, Any] | None = None,
    timeout: float = 60.0,
    allow_errored: bool = False,
    allow_trusting: bool = False,
) -> PolicyResult:
    """Judges a plan by Sentinel policies. For many plans compile them once with `compile_sentinel`.

    A plan whose planning ended with an error lacks changes: only ``allow_errored=True`` accepts it.
    One that `plan_module` made without ``strict=True`` may take values for known which a provider changes: only
    ``allow_trusting=True`` accepts it.

    Raises `PolicyError` and `DocumentError`.
    """
    if isinstance(policies, SentinelPolicies):
        return policies.judge(plan, allow_errored=allow_errored, allow_trusting=allow_trusting)
    compiled = compile_sentinel(policies, params=params, timeout=timeout)
    return compiled.judge(plan, allow_errored=allow_errored, allow_trusting=allow_trusting)
