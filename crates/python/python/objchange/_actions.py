"""The words for actions."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

Action: TypeAlias = Literal["no-op", "create", "read", "update", "delete", "replace", "forget", "unknown"]
"""An action in one word, as all of the package names it."""

ACTIONS: Final[tuple[Action, ...]] = get_args(Action)
"""The words for actions, in the order of `ChangeList.counts`."""
