"""The agent card, in the shape of both versions."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from seatrial.fixtures.agent import VARIANTS

from .client import NEW, OLD, Reply, Talker, meeting, said, virtual

PATH = "/.well-known/agent-card.json"


async def fetched(talker: Talker, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await (await talker.send("GET", b"", named, PATH)).reply()


@virtual
async def test_the_card_can_be_kept_and_asked_for_again() -> None:
    async with meeting() as m:
        first = await fetched(m.talker)
        again = await fetched(m.talker, If_None_Match=first.headers["etag"])
        other = await fetched(m.talker, If_None_Match='"other"')
        assert (first.status, again.status, other.status) == (200, 304, 200)
        assert first.headers["etag"] == again.headers["etag"] == other.headers["etag"]
        assert "max-age" in first.headers["cache-control"]
        assert again.body == b""


@virtual
async def test_every_declared_interface_speaks_its_binding_in_its_version() -> None:
    async with meeting() as m:
        card = (await fetched(m.talker)).json
        origin = f"http://127.0.0.1:{m.talker.port}"
        assert len(card["supportedInterfaces"]) == 4
        for interface in card["supportedInterfaces"]:
            version = interface["protocolVersion"]
            path = interface["url"].removeprefix(origin)
            if interface["protocolBinding"] == "JSONRPC":
                assert path == "/"
                error = await m.talker.error("GetTask" if version == NEW else "tasks/get", {"id": "x"}, version)
                assert error["code"] == -32001
            else:
                assert path == "/rest"
                below = "/tasks/x" if version == NEW else "/v1/tasks/x"
                assert (await m.talker.rest("GET", below, None, version)).status == 404


@virtual
async def test_both_shapes_say_the_same() -> None:
    async with meeting() as m:
        card = (await fetched(m.talker)).json
        old = {(i["url"], i["protocolBinding"]) for i in card["supportedInterfaces"] if i["protocolVersion"] == OLD}
        assert old == {(i["url"], i["transport"]) for i in card["additionalInterfaces"]}
        assert (card["url"], card["preferredTransport"]) in old
        assert card["supportsAuthenticatedExtendedCard"] == card["capabilities"]["extendedAgentCard"]


@virtual
@pytest.mark.parametrize(
    ("method", "version"), [("GetExtendedAgentCard", NEW), ("agent/getAuthenticatedExtendedCard", OLD)]
)
async def test_the_extended_card_has_more_skills_for_those_who_are_known(method: str, version: str) -> None:
    async with meeting(protected=True, token="token-1") as m:
        public: dict[str, Any] = (await fetched(m.talker)).json
        extended = await m.talker.result(method, None, version)
        assert public["securitySchemes"]
        assert extended["skills"][:-1] == public["skills"]
        assert extended | {"skills": 0} == public | {"skills": 0}
        path = "/extendedAgentCard" if version == NEW else "/v1/card"
        assert (await m.talker.rest("GET", path, None, version)).json == extended


@virtual
async def test_an_open_agent_shows_its_extended_card_to_nobody_in_particular() -> None:
    async with meeting() as m:
        assert "error" in await m.talker.call("GetExtendedAgentCard")
        m.talker.session = {"Authorization": "Bearer token-1"}
        assert "skills" in await m.talker.result("GetExtendedAgentCard")


@virtual
async def test_extensions_are_named_when_they_are_activated() -> None:
    async with meeting() as m:
        (declared,) = (await fetched(m.talker)).json["capabilities"]["extensions"]
        later = declared["uri"].replace("v1", "v2")
        for version, header in ((NEW, "A2A-Extensions"), (OLD, "X-A2A-Extensions")):
            method = "SendMessage" if version == NEW else "message/send"
            for asked, named in ((f"urn:nope:v9, {declared['uri']}", declared["uri"]), (later, None)):
                params = {"message": said("echo", version)}
                reply = await (await m.talker.begin_call(method, params, version, {header: asked})).reply()
                assert "result" in reply.json
                assert reply.headers.get(header.lower()) == named


@virtual
@pytest.mark.parametrize("variant", VARIANTS)
async def test_variants_declare_what_they_do(variant: str) -> None:
    async with meeting(VARIANTS[variant]) as m:
        capabilities = (await fetched(m.talker)).json["capabilities"]
        assert capabilities["streaming"] == capabilities["pushNotifications"] == (variant != "bare")
        assert any(extension["required"] for extension in capabilities["extensions"]) == (variant == "strict")


@virtual
async def test_the_card_is_there_while_tasks_run() -> None:
    async with meeting() as m:
        await m.talker.start_task("hold 5")
        exchanges = [await m.talker.send("GET", b"", {}, PATH) for _ in range(50)]
        with anyio.fail_after(1):
            assert {(await exchange.reply()).status for exchange in exchanges} == {200}
