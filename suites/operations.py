"""A2A: a request for each operation that changes nothing, for what must hold on every one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seatrial import JSONRPC, NOWHERE, OPERATIONS, V03, A2aSession

HOOK = "http://127.0.0.1:9/hook"
"""A webhook that nobody serves."""


def harmless(session: A2aSession) -> Mapping[str, Mapping[str, Any]]:
    """Operation -> parameters, well formed and without effect: their task does not exist."""
    sending = session.sending("hello", task=NOWHERE)
    config = {"taskId": NOWHERE, "id": NOWHERE}
    if session.version == V03:
        config = {"id": NOWHERE, "pushNotificationConfigId": NOWHERE}
    known: Mapping[str, Mapping[str, Any]] = {
        "SendMessage": sending,
        "SendStreamingMessage": sending,
        "ListTasks": {},
        "CreateTaskPushNotificationConfig": session.config_params(NOWHERE, session.push_config(HOOK)),
        "GetTaskPushNotificationConfig": config,
        "DeleteTaskPushNotificationConfig": config,
        "ListTaskPushNotificationConfigs": {"id" if session.version == V03 else "taskId": NOWHERE},
        "GetExtendedAgentCard": {},
    }
    return {name: known.get(name, {"id": NOWHERE}) for name in OPERATIONS if exists(session, name)}


def exists(session: A2aSession, operation: str) -> bool:
    """0.3 has no list of tasks over JSON-RPC (0.3: 3.5.6)."""
    return operation != "ListTasks" or (session.version, session.binding) != (V03, JSONRPC)
