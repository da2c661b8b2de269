"""What we say to an agent, in the shape of each version and binding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from .versions import V03


class Form(StrEnum):
    """How messages are written: as 1.0, as 0.3, or as 0.3 in the JSON form of its proto, which some agents that
    speak 0.3 over HTTP+JSON take instead of the objects of 0.3: 7.1."""

    V10 = "1.0"
    V03 = "0.3"
    PROTO = "proto"


def message(
    form: Form, parts: Sequence[Any], *, message_id: str, task: str = "", context: str = "", **members: Any
) -> dict[str, Any]:
    """A message of the user."""
    head: dict[str, Any] = {"messageId": message_id, "role": "user" if form is Form.V03 else "ROLE_USER"}
    if form is Form.V03:
        head["kind"] = "message"
    head["content" if form is Form.PROTO else "parts"] = list(parts)
    places = {"taskId": task, "contextId": context}
    return {**head, **{name: value for name, value in places.items() if value}, **members}


def text_part(form: Form, text: str) -> dict[str, Any]:
    return {"kind": "text", "text": text} if form is Form.V03 else {"text": text}


_INLINE = {
    Form.V10: "taskPushNotificationConfig",
    Form.V03: "pushNotificationConfig",
    Form.PROTO: "pushNotification",
}
"""What a send calls the configuration of notifications that comes with it."""


def configuration(
    form: Form, *, blocking: bool | None, push: Mapping[str, Any] | None, history: int | None
) -> dict[str, Any]:
    """The configuration of a send; what is None is left out."""
    found: dict[str, Any] = {}
    if blocking is not None:
        found |= {"returnImmediately": not blocking} if form is Form.V10 else {"blocking": blocking}
    if push is not None:
        found[_INLINE[form]] = dict(push)
    if history is not None:
        found["historyLength"] = history
    return found


def push_config(
    version: str, url: str, *, id: str = "", token: str = "", scheme: str = "", credentials: str = ""
) -> dict[str, Any]:
    """A configuration of notifications as this version writes it."""
    found: dict[str, Any] = {"url": url}
    if id:
        found["id"] = id
    if token:
        found["token"] = token
    if scheme:
        known = {"schemes": [scheme]} if version == V03 else {"scheme": scheme}
        found["authentication"] = {**known, "credentials": credentials}
    return found


def config_params(form: Form, task: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that create a configuration for a task."""
    if form is Form.V10:
        return {"taskId": task, **config}
    if form is Form.V03:
        return {"taskId": task, "pushNotificationConfig": dict(config)}
    name = str(config.get("id") or "seatrial")
    place = f"tasks/{task}/pushNotificationConfigs/{name}"
    whole = {"name": place, "pushNotificationConfig": dict(config)}
    return {"taskId": task, "parent": f"tasks/{task}", "configId": name, "config": whole}


def bare_config_params(task: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """The same for 0.3 over HTTP+JSON where the body is the configuration of a task itself."""
    name = f"tasks/{task}/pushNotificationConfigs/{config.get('id') or 'seatrial'}"
    return {"taskId": task, "name": name, "pushNotificationConfig": dict(config)}


def said(sent: Any) -> Iterator[str]:
    """What the user says in a send of any version and binding, or in a batch of them, and what is attached to it."""
    for whole in sent if isinstance(sent, list) else [sent]:
        params = whole.get("params", whole) if isinstance(whole, dict) else None
        message = params.get("message") if isinstance(params, dict) else None
        if message is not None:
            parts = _parts(message)
            yield " ".join(str(part["text"]) for part in parts if isinstance(part, dict) and "text" in part)
            yield from (str(part) for part in parts if not isinstance(part, dict) or "text" not in part)


def _parts(message: Any) -> list[Any]:
    found = (message.get("parts") or message.get("content")) if isinstance(message, dict) else None
    return found if isinstance(found, list) else []
