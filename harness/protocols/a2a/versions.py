"""The versions of A2A, their bindings, and where each operation is found in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

V03, V10 = "0.3", "1.0"
VERSIONS = (V03, V10)
JSONRPC, HTTP_JSON = "JSONRPC", "HTTP+JSON"
BINDINGS = (JSONRPC, HTTP_JSON)
NEWEST_RELEASE = "1.0.1"
"""The release of the specification by which 1.0 is judged unless its owner says another."""

VERSION_HEADER = "A2A-Version"
EXTENSIONS_HEADER = {V03: "X-A2A-Extensions", V10: "A2A-Extensions"}
_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its JSON-RPC method in 0.3 (in 1.0: `name`), its HTTP verb and its path in either version.

    Fields in braces are parameters of that version's JSON-RPC shape. In 0.3 paths stand behind /v1.
    """

    name: str
    early: str
    verb: str
    path: str
    early_path: str
    streams: bool = False

    def method(self, version: str) -> str:
        return self.early if version == V03 else self.name

    def route(self, version: str, params: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]]:
        """Verb, path with query, and what is left for the body (1.0: 11.3; 0.3: 3.2.3, 3.5.6)."""
        template = f"/v1{self.early_path}" if version == V03 else self.path
        used = _FIELD.findall(template)
        path = _FIELD.sub(lambda match: quote(str(params.get(match[1], "")), safe=""), template)
        rest = {key: value for key, value in params.items() if key not in used}
        if self.verb == "POST":
            return self.verb, path, rest
        query = urlencode({key: _plain(value) for key, value in rest.items()})
        return self.verb, f"{path}?{query}" if query else path, {}

    def on(self, version: str, binding: str) -> str:
        """What selects this operation's requests in a fault's `on`: a method, or the end of a path or its verb."""
        if binding == JSONRPC:
            return self.method(version)
        tail = (self.early_path if version == V03 else self.path).rpartition("}")[2]
        return tail or self.verb


def _plain(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


_CONFIGS = "/tasks/{taskId}/pushNotificationConfigs"
_SUBSCRIBE = "/tasks/{id}:subscribe"
_EARLY_CONFIGS = "/tasks/{id}/pushNotificationConfigs"

OPERATIONS: Mapping[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("SendMessage", "message/send", "POST", "/message:send", "/message:send"),
        Operation("SendStreamingMessage", "message/stream", "POST", "/message:stream", "/message:stream", True),
        Operation("GetTask", "tasks/get", "GET", "/tasks/{id}", "/tasks/{id}"),
        Operation("ListTasks", "tasks/list", "GET", "/tasks", "/tasks"),
        Operation("CancelTask", "tasks/cancel", "POST", "/tasks/{id}:cancel", "/tasks/{id}:cancel"),
        Operation(
            "SubscribeToTask", "tasks/resubscribe", "POST", "/tasks/{id}:subscribe", "/tasks/{id}:subscribe", True
        ),
        Operation(
            "CreateTaskPushNotificationConfig",
            "tasks/pushNotificationConfig/set",
            "POST",
            _CONFIGS,
            "/tasks/{taskId}/pushNotificationConfigs",
        ),
        Operation(
            "GetTaskPushNotificationConfig",
            "tasks/pushNotificationConfig/get",
            "GET",
            _CONFIGS + "/{id}",
            _EARLY_CONFIGS + "/{pushNotificationConfigId}",
        ),
        Operation(
            "ListTaskPushNotificationConfigs",
            "tasks/pushNotificationConfig/list",
            "GET",
            _CONFIGS,
            _EARLY_CONFIGS,
        ),
        Operation(
            "DeleteTaskPushNotificationConfig",
            "tasks/pushNotificationConfig/delete",
            "DELETE",
            _CONFIGS + "/{id}",
            _EARLY_CONFIGS + "/{pushNotificationConfigId}",
        ),
        Operation("GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard", "GET", "/extendedAgentCard", "/card"),
    )
}
"""The eleven operations by their name in 1.0 (5.3, 9.4; 0.3: 3.5.6)."""
