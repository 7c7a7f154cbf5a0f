"""Only `reveal()` hands out the content of a `Sensitive`."""

from __future__ import annotations

import contextlib
import copy
import gc
import io
import json
import logging
import pickle
import pprint
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from conftest import SECRET, change, plan_text
from hypothesis import given, settings
from hypothesis import strategies as st

import objchange
from objchange import Sensitive


def contents(secret: str) -> list[Any]:
    return [secret, [secret], {secret: secret}, {"a": [{"b": secret}]}]


def test_no_form_shows_it(secret: str) -> None:
    for content in contents(secret):
        hidden = Sensitive(content)
        shown = [
            repr(hidden),
            str(hidden),
            f"{hidden}",
            f"{hidden!r:>40}",
            f"{hidden:>40}",
            format(hidden, "x"),
            "%s %r" % (hidden, hidden),
            pprint.pformat({"a": hidden}),
            repr([hidden]),
            str(dir(hidden)),
            str(gc.get_referents(hidden)),
        ]
        assert all(secret not in text for text in shown)
        assert str(hidden) == "(sensitive value)"
        assert hidden.reveal() == content


def test_what_would_need_the_content_is_refused_without_it(secret: str) -> None:
    uses: list[Callable[[Any], object]] = [
        json.dumps,
        pickle.dumps,
        lambda hidden: pickle.dumps(hidden, protocol=0),
        hash,
        iter,
        len,
        bool,
        int,
        float,
        bytes,
        list,
        dict,
        vars,
        lambda hidden: hidden[0],
        lambda hidden: hidden + "x",
        lambda hidden: hidden < hidden,
        lambda hidden: {hidden},
        lambda hidden: "x" in hidden,
        lambda hidden: "".join([hidden]),
        lambda hidden: setattr(hidden, "x", 1),
    ]
    for content in contents(secret):
        for use in uses:
            with pytest.raises((TypeError, AttributeError)) as caught:
                use(Sensitive(content))
            text = "".join(traceback.format_exception(caught.value))
            assert secret not in text, text


def test_a_copy_is_itself(secret: str) -> None:
    hidden = Sensitive([secret])
    assert copy.copy(hidden) is hidden and copy.deepcopy({"a": hidden})["a"] is hidden


def test_comparing_tells_whether_it_is_the_same(secret: str) -> None:
    assert Sensitive(secret) == Sensitive(secret)
    assert Sensitive(secret) != Sensitive("other")
    assert Sensitive((secret,)) == Sensitive([secret])
    assert Sensitive(secret) != secret and not Sensitive(secret) == secret


def test_logs_and_tracebacks_do_not_have_it(secret: str, plan: objchange.Plan) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logger = logging.getLogger("objchange.test")
    logger.addHandler(handler)
    logger.propagate = False
    after = plan.changes[0].after
    logger.error("%s %r %s", after, after["token"], {"token": after["token"]})
    try:
        raise ValueError(after, after["token"])
    except ValueError:
        logger.exception("failed")
    assert secret not in stream.getvalue() and "(sensitive value)" in stream.getvalue()


def test_errors_about_values_do_not_have_it(secret: str) -> None:
    for content in ({secret: b"x"}, [object(), secret], {secret: {secret: {1: secret}}}):
        with pytest.raises(objchange.Error) as caught:
            Sensitive(content)
        assert secret not in str(caught.value) and secret not in repr(caught.value.__dict__)


def trees(leaf: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects with a part at some places."""
    keys = st.sampled_from(["a", "b", "tags", "x y"])
    return st.recursive(leaf, lambda part: st.lists(part, max_size=3) | st.dictionaries(keys, part, max_size=3), max_leaves=8)


def marked(value: Any) -> Any:
    """The marks of a value whose secrets are sensitive; a key that is a secret makes all of its object sensitive."""
    if isinstance(value, dict):
        return True if any(SECRET in key for key in value) else {key: marked(part) for key, part in value.items()}
    return [marked(part) for part in value] if isinstance(value, list) else SECRET in str(value)


PLAIN = st.sampled_from([None, True, 7, "text", "<b>&"])
SECRETS = st.sampled_from([SECRET, f"a {SECRET} b", {SECRET: 1}, {"k": {SECRET: [SECRET]}}])


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(["one", "two"]), trees(PLAIN | SECRETS)), st.dictionaries(st.sampled_from(["one", "two"]), trees(PLAIN | SECRETS)))
def test_no_exit_of_a_plan_shows_what_is_sensitive(before: dict[str, Any], after: dict[str, Any]) -> None:
    marks = {"before_sensitive": marked(before), "after_sensitive": marked(after)}
    paths = [["one"], ["one", "a", SECRET], ["two", "k", SECRET, 0], ["two", 0, SECRET]]
    output = {"actions": ["update"], "before": before, "after": after, "after_unknown": False, **marks}
    plan = objchange.Plan.load(
        plan_text(
            change("disk.one", ["delete", "create"], before, after, replace_paths=paths, **marks),
            resource_drift=[change("disk.two", ["update"], before, after, **marks)],
            output_changes={"out": output},
        ).encode()
    )
    exits: list[object] = [plan, plan.changes, plan.drift, plan.outputs, plan._repr_html_(), plan.to_dict(), plan.json()]
    exits += [plan.text(full=True), plan.markdown(), plan.html(full=True), plan.summary(), plan.diff(plan)._repr_html_()]
    exits += [part.to_dict() for part in (*plan.changes, *plan.drift, *plan.outputs)]
    with contextlib.suppress(ImportError):
        exits += [part.to_arrow().to_pylist() for part in (plan.changes, plan.drift, plan.outputs)]
    for shown in exits:
        assert SECRET not in str(shown) + repr(shown)
