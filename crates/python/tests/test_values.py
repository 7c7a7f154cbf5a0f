"""Values: what goes in comes out the same, and what is no value is refused with its place."""

from __future__ import annotations

import copy
import json
import math
import pickle
import unicodedata
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import objchange
from objchange import UNKNOWN, Sensitive

texts = st.text(st.characters(codec="utf-8")).map(lambda text: unicodedata.normalize("NFC", text))
numbers = st.integers(-(2**512) + 1, 2**512 - 1) | st.decimals(-(10**40), 10**40, places=20, allow_nan=False)
json_like = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda values: st.lists(values, max_size=5) | st.dictionaries(texts, values, max_size=5),
    max_leaves=30,
)


@given(json_like)
def test_any_value_goes_in_and_comes_out_the_same(value: Any) -> None:
    out = Sensitive(value).reveal()
    assert out == value
    # True is no 1, and 1 is no 1.0.
    assert json.dumps(out, default=str, sort_keys=True) == json.dumps(plain(value), default=str, sort_keys=True)


def plain(value: Any) -> Any:
    """Whole decimals are ints, and others have no more digits than they need."""
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else Decimal(format(value, "f").rstrip("0"))
    if isinstance(value, list):
        return [plain(element) for element in value]
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    return value


@given(json_like, json_like)
def test_sensitive_values_are_equal_where_their_contents_are(a: Any, b: Any) -> None:
    assert Sensitive(a) == Sensitive(copy.deepcopy(a))
    assert (Sensitive(a) == Sensitive(b)) == (json.dumps(plain(a), default=str, sort_keys=True) == json.dumps(plain(b), default=str, sort_keys=True))
    assert (Sensitive(a) != Sensitive(b)) == (not Sensitive(a) == Sensitive(b))
    assert Sensitive(a) != a


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (math.nan, "number", "finite"),
        (Decimal("Infinity"), "number", "finite"),
        (Decimal("sNaN"), "number", "finite"),
        (2**600 + 1, "number", "512 bits"),
        (Decimal("1e999999"), "exponent_too_large", "too large"),
        ("\ud800", "text", "surrogate"),
        ({1: 2}, "key", "str"),
        (b"x", "type", "bytes"),
        ({1, 2}, "type", "set"),
        (object(), "type", "object"),
    ],
)
def test_what_is_no_value_is_refused(value: Any, kind: str, message: str) -> None:
    with pytest.raises(objchange.InvalidValueError, match=message) as caught:
        Sensitive(value)
    assert caught.value.kind == kind and caught.value.path is None
    assert isinstance(caught.value, ValueError)


def test_depth_is_limited() -> None:
    value: Any = None
    for _ in range(100_000):
        value = [value]
    with pytest.raises(objchange.InvalidValueError) as caught:
        Sensitive(value)
    assert caught.value.kind == "depth"
    around: Any = []
    around.append(around)
    with pytest.raises(objchange.InvalidValueError):
        Sensitive(around)


def test_unknown_is_one_object() -> None:
    assert repr(UNKNOWN) == "UNKNOWN"
    assert pickle.loads(pickle.dumps(UNKNOWN)) is UNKNOWN
    assert copy.copy(UNKNOWN) is UNKNOWN and copy.deepcopy([UNKNOWN])[0] is UNKNOWN
    assert UNKNOWN == UNKNOWN and UNKNOWN != None and UNKNOWN != 0  # noqa: E711
    for use in (bool, lambda unknown: unknown or 1, lambda unknown: not unknown, int, len, iter, json.dumps):
        with pytest.raises(TypeError):
            use(UNKNOWN)
    with pytest.raises(TypeError):
        objchange.Unknown()
    assert Sensitive([UNKNOWN]).reveal()[0] is UNKNOWN
