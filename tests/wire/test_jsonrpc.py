"""JSON-RPC 2.0: what a value is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.model import Json
from seatrial.wire import jsonrpc
from seatrial.wire.jsonrpc import Batch, ErrorResponse, Invalid, Notification, Request, Response, classify


def test_what_is_built_is_what_is_found() -> None:
    assert isinstance(found := classify(jsonrpc.request(1, "ping", {"a": 1})), Request)
    assert (found.id, found.method, found.params) == (1, "ping", {"a": 1})
    assert isinstance(classify(jsonrpc.notification("note")), Notification)
    assert isinstance(result := classify(jsonrpc.response("x", {})), Response)
    assert (result.id, result.result) == ("x", {})
    assert isinstance(fault := classify(jsonrpc.error(None, -32700, "no", {"at": 1})), ErrorResponse)
    assert (fault.id, fault.code, fault.message, fault.data) == (None, -32700, "no", {"at": 1})


def test_a_request_without_params_has_no_such_member() -> None:
    assert jsonrpc.request(1, "ping") == {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def test_a_batch_holds_its_items_in_order() -> None:
    batch = classify([jsonrpc.request(1, "a"), 3])
    assert isinstance(batch, Batch)
    assert [type(item) for item in batch.items] == [Request, Invalid]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([], "an empty batch"),
        (None, "a null, not an object"),
        ("x", "a string, not an object"),
        ({"id": 1, "method": "a"}, 'jsonrpc is not "2.0"'),
        ({"jsonrpc": "2.0", "id": 1}, "neither method, result nor error"),
        ({"jsonrpc": "2.0", "id": 1, "method": 1}, "the method is not a string"),
        ({"jsonrpc": "2.0", "id": 1, "method": "a", "params": 1}, "params is neither an object nor an array"),
        ({"jsonrpc": "2.0", "id": None, "method": "a"}, "the id is neither a string nor an integer"),
        ({"jsonrpc": "2.0", "id": True, "method": "a"}, "the id is neither a string nor an integer"),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "a"}, "the id is neither a string nor an integer"),
        ({"jsonrpc": "2.0", "id": 1, "method": "a", "result": 1}, "a method together with a result or an error"),
        ({"jsonrpc": "2.0", "id": 1, "result": 1, "error": {}}, "both a result and an error"),
        ({"jsonrpc": "2.0", "result": 1}, "the id of a result is neither a string nor an integer"),
        ({"jsonrpc": "2.0", "id": [], "error": {}}, "the id of an error is neither a string, an integer nor null"),
        ({"jsonrpc": "2.0", "id": 1, "error": "no"}, "the error has no integer code"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": "1", "message": ""}}, "the error has no integer code"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": 1}}, "the error has no message"),
    ],
)
def test_what_is_no_message_says_why(value: Json, why: str) -> None:
    assert classify(value) == Invalid(why, value)


MEMBERS: st.SearchStrategy[Json] = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just({}) | st.just([])
)
NAMES = st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error", "code"])
ANYTHING = st.recursive(MEMBERS | st.just("2.0"), lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner))


@given(ANYTHING)
def test_classifying_never_fails(value: Json) -> None:
    assert classify(value).value is value
