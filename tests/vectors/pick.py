#!/usr/bin/env python3
"""Picks the cases of this folder from larger files of cases: `pick.py FOLDER`.

From every group of files the cases are taken by size, the smallest first, while they show what few of the cases
before them show: an operation with an error kind, a nesting mode, an unknown or marked value; an action of a plan
with its reason, its heading, an import, a move, a deposed object; an
action that is invoked; the mode of a plan. Of every operation the ten smallest are there anyway.
"""

import json
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
# The files of a group, how many cases are to show the same, and how long a case may be.
GROUPS = {
    "core": (["core-dev", "core-corner-dev", "core-mutated-dev", "core-large-dev"], 2, 30_000),
    "provider-plans": (["provider-plans-dev"], 2, 30_000),
    "render": ([f"render-116-{name}" for name in ["dev", "fresh-dev", "actions-dev", "wild-dev", "terraform-dev"]], 1, 8_000),
    "render-opentofu": (["render-opentofu-dev"], 1, 8_000),
}
# The smallest of each operation: what they show is in their expression, so there is nothing to choose by but errors.
CONFIGURATION = {"expr": 300, "template": 150, "decode": 200, "for_each_variables": 100}
# How many cases of an operation are there anyway.
SMALLEST = 10


def numbers(text):
    found = []
    json.loads(text, parse_float=lambda number: found.append(abs(float(number))))
    return found


def schema_features(schema):
    """The nesting modes and flags below a schema, wherever they stand."""
    if isinstance(schema, list):
        for part in schema:
            yield from schema_features(part)
    elif isinstance(schema, dict):
        for key, part in schema.items():
            if key == "block_types" and isinstance(part, dict):
                for nested in part.values():
                    yield ("block", nested.get("nesting_mode"), bool(nested.get("computed")))
            if key == "nested_type" and isinstance(part, dict):
                yield ("nested_type", part.get("nesting_mode"))
            if part is True:
                yield ("flag", key)
            yield from schema_features(part)


def value_features(text):
    for marker in ("$unknown", "$sensitive", "$ephemeral", "$literal"):
        if f'"{marker}"' in text:
            yield ("marker", marker)


def change_features(change, heading):
    inner = change.get("change") or {}
    what = "+".join(inner.get("actions") or [])
    yield (heading, what, change.get("action_reason"))
    for flag in ("deposed", "previous_address", "module_address", "index"):
        if change.get(flag) is not None:
            yield (heading, flag, what)
    for flag in ("importing", "generated_config", "replace_paths", "before_sensitive", "after_sensitive"):
        if inner.get(flag):
            yield (heading, flag, what)
    yield (heading, change.get("mode"), what)


def features(case):
    op = case["op"]
    yield (op,)
    want = case["want"]
    for error in want.get("errors") or []:
        yield (op, "error", error["kind"])
        yield (op, "depth", min(len(error["path"]), 4))
    yield (op, "wants", *sorted(k for k in want if want[k] not in (None, [], False)))
    if "action" in want:
        yield (op, "action", want["action"])
    if "schema" in case and isinstance(case["schema"], dict):
        for feature in schema_features(case["schema"]):
            yield (op, *feature)
    arguments = {k: v for k, v in case.items() if k not in ("want", "schema", "schemas", "note", "id", "op")}
    for feature in value_features(json.dumps(arguments)):
        yield (op, *feature)
    for feature in schema_features(case.get("schemas") or {}):
        yield (op, *feature)
    plan = case.get("plan") or {}
    for change in plan.get("resource_changes") or []:
        yield from change_features(change, "change")
    for change in plan.get("resource_drift") or []:
        yield from change_features(change, "drift")
    for deferred in plan.get("deferred_changes") or []:
        yield ("deferred", deferred.get("reason"))
        yield from change_features(deferred.get("resource_change") or {}, "deferred")
    for output in (plan.get("output_changes") or {}).values():
        yield ("output", "+".join(output.get("actions") or []))
    for action in plan.get("action_invocations") or []:
        trigger = action.get("lifecycle_action_trigger") or {}
        yield ("action", trigger.get("action_trigger_event"), "config_values" in action)
        yield ("action", "invoked", *sorted(action.get("invoke_action_trigger", ["no"])))
        for key in ("config_unknown", "config_sensitive"):
            yield ("action", key, bool(action.get(key)))
    for key in ("errored", "applyable"):
        if key in plan:
            yield (key, plan[key])
    if plan:
        empty = not (plan.get("resource_changes") or plan.get("output_changes"))
        yield ("mode", (case.get("options") or {}).get("mode"), empty, bool(plan.get("resource_drift")))
    # Cases by hand, for a corner each.
    if case["op"].startswith("render") and case.get("id", "").startswith("D"):
        yield ("corner", case["id"])


def pick_configuration(folder):
    by_op = {op: [] for op in CONFIGURATION}
    for name in ["hcl-dev", "hcl-corner-dev"]:
        with open(folder / f"{name}.jsonl", encoding="utf-8", newline="\n") as file:
            for line in map(lambda line: line.rstrip("\n"), file):
                by_op[json.loads(line)["op"]].append(line)
    for op, lines in by_op.items():
        seen, taken = Counter(), []
        for line in sorted(lines, key=lambda line: (len(line), line)):
            shown = {error["summary"] for error in json.loads(line)["want"].get("errors") or []}
            if len(taken) < CONFIGURATION[op] or any(seen[summary] < 2 for summary in shown):
                seen.update(shown)
                taken.append(line)
        with open(HERE / f"hcl_{op}.jsonl", "w", encoding="utf-8", newline="\n") as file:
            file.writelines(line + "\n" for line in taken)
        print(op, len(taken))


def main(folder):
    pick_configuration(folder)
    for group, (names, enough, largest) in GROUPS.items():
        lines = []
        for name in names:
            with open(folder / f"{name}.jsonl", encoding="utf-8", newline="\n") as file:
                lines += [line.rstrip("\n") for line in file]
        # Tests read some of them with doubles for numbers.
        lines = [line for line in lines if group == "core" or float("inf") not in numbers(line)]
        cases = [json.loads(line) for line in lines]
        order = sorted(range(len(lines)), key=lambda i: (len(lines[i]), lines[i]))
        seen, ops, taken = Counter(), Counter(), []
        for i in order:
            if len(lines[i]) > largest:
                break
            shown = set(features(cases[i]))
            op = cases[i]["op"]
            if ops[op] >= SMALLEST and all(seen[feature] >= enough for feature in shown):
                continue
            ops[op] += 1
            seen.update(shown)
            taken.append(lines[i])
        # As they stand: numbers and escapes would not survive being written anew.
        with open(HERE / f"{group}.jsonl", "w", encoding="utf-8", newline="\n") as file:
            file.writelines(line + "\n" for line in taken)
        print(group, len(taken))


main(Path(sys.argv[1]))
