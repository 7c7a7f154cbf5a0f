"""Small documents that the tests share, and a secret that must be nowhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
SECRET = "hunter2-do-not-show"


def change(address: str, actions: list[str], before: Any, after: Any, **more: Any) -> dict[str, Any]:
    """A resource change as a plan document has it."""
    type_, name = address.split("[")[0].split(".")[-2:]
    marks = {"after_unknown": {}, "before_sensitive": False, "after_sensitive": {}}
    details = {key: more.pop(key) for key in (*marks, "replace_paths") if key in more}
    return {
        "address": address,
        "mode": "managed",
        "type": type_,
        "name": name,
        "provider_name": "registry.terraform.io/example/disks",
        "change": {"actions": actions, "before": before, "after": after, **marks, **details},
        **more,
    }


def plan_text(*changes: dict[str, Any], **more: Any) -> str:
    """A plan document with these changes."""
    return json.dumps({"format_version": "1.2", "terraform_version": "1.9.0", "resource_changes": changes, **more})


SCHEMAS = json.dumps(
    {
        "format_version": "1.0",
        "provider_schemas": {
            "registry.terraform.io/example/disks": {
                "resource_schemas": {
                    "disk": {
                        "version": 0,
                        "block": {
                            "attributes": {
                                "id": {"type": "string", "computed": True},
                                "size": {"type": "number", "optional": True},
                                "ports": {"type": ["set", "number"], "optional": True},
                                "token": {"type": "string", "optional": True, "sensitive": True},
                            }
                        },
                    }
                }
            }
        },
    }
).encode()


@pytest.fixture
def secret() -> str:
    return SECRET


@pytest.fixture
def plan() -> Any:
    import objchange

    return objchange.Plan.load(
        plan_text(
            change(
                "module.a.disk.one[0]",
                ["delete", "create"],
                {"id": "d-1", "size": 10, "token": SECRET, "tags": {"a": None}},
                {"size": 10.25, "token": SECRET, "tags": {"a": "b"}},
                after_unknown={"id": True, "tags": {"c": True}},
                before_sensitive={"token": True},
                after_sensitive={"token": True},
                replace_paths=[["size"], ["tags", "a"], ["ports", 0]],
                module_address="module.a",
                index=0,
                action_reason="replace_because_cannot_update",
            ),
            change('disk.two["x"]', ["create"], None, {"size": 1}, after_unknown={"id": True}, index="x"),
            change("disk.three", ["no-op"], {"size": 1}, {"size": 1}),
            resource_drift=[change("disk.three", ["update"], {"size": 2}, {"size": 1})],
            output_changes={
                "known": {"actions": ["create"], "before": None, "after": [1], "after_unknown": False},
                "later": {"actions": ["create"], "before": None, "after_unknown": True},
            },
        ).encode()
    )
