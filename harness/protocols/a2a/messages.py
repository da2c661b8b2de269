"""What we say to an agent, in the shape of each version and binding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .versions import HTTP_JSON, V03


def message(
    version: str,
    binding: str,
    parts: Sequence[Any],
    *,
    message_id: str,
    task: str = "",
    context: str = "",
    **members: Any,
) -> dict[str, Any]:
    """A message of the user. Over HTTP+JSON, 0.3 has the JSON form of its proto: other names, no `kind`."""
    proto = version == V03 and binding == HTTP_JSON
    head: dict[str, Any] = {"messageId": message_id, "role": "user" if version == V03 and not proto else "ROLE_USER"}
    if version == V03 and not proto:
        head["kind"] = "message"
    head["content" if proto else "parts"] = list(parts)
    places = {"taskId": task, "contextId": context}
    return {**head, **{name: value for name, value in places.items() if value}, **members}


def text_part(version: str, binding: str, text: str) -> dict[str, Any]:
    kind = {"kind": "text"} if version == V03 and binding != HTTP_JSON else {}
    return {**kind, "text": text}


def configuration(
    version: str, *, blocking: bool | None, push: Mapping[str, Any] | None, history: int | None
) -> dict[str, Any]:
    """The configuration of a send; what is None is left out."""
    found: dict[str, Any] = {}
    if blocking is not None:
        found |= {"blocking": blocking} if version == V03 else {"returnImmediately": not blocking}
    if push is not None:
        found["pushNotificationConfig" if version == V03 else "taskPushNotificationConfig"] = dict(push)
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


def config_params(version: str, binding: str, task: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that create a configuration for a task."""
    if version != V03:
        return {"taskId": task, **config}
    if binding != HTTP_JSON:
        return {"taskId": task, "pushNotificationConfig": dict(config)}
    name = str(config.get("id") or "seatrial")
    place = f"tasks/{task}/pushNotificationConfigs/{name}"
    whole = {"name": place, "pushNotificationConfig": dict(config)}
    return {"taskId": task, "parent": f"tasks/{task}", "configId": name, "config": whole}
