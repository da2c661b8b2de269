"""Receiver: many webhooks, for as long as a case lasts."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import quote

from anyio import Lock
from anyio.abc import TaskGroup

from ..transcript import Recorder
from ..transport.network import Network
from .acts import Act, ReceiverDown
from .conversation import Arrival, Conversation
from .delivery import Delivery
from .hook import Hook, record
from .program import Program, Script
from .site import Site

STRAYS = 1000
"""Requests to no hook that are kept."""


@dataclass(slots=True, eq=False)
class Receiver:
    """Hooks share one port, each with a path of its own, but for those that are to refuse connections.

    `strays`: requests to paths that are no hook; they are answered 404.
    """

    network: Network
    recorder: Recorder
    tasks: TaskGroup
    host: str = "127.0.0.1"
    hooks: dict[str, Hook] = field(default_factory=dict)
    strays: list[Delivery] = field(default_factory=list)
    _shared: Site | None = None
    _making: Lock = field(default_factory=Lock)

    async def hook(self, *acts: Act, name: str = "", program: Program | None = None, alone: bool = False) -> Hook:
        """A new hook, 200 for all without acts or a program. `alone` gives it a port of its own, as an outage needs.

        Raises ValueError for a name in use, OSError when no port can be had.
        """
        alone = alone or any(isinstance(act, ReceiverDown) for act in acts)
        async with self._making:
            name = quote(name or f"hook-{len(self.hooks) + 1}", safe="")
            if name in self.hooks:
                raise ValueError(f"a hook is named {name} already: give another name")
            site = await self._site(alone)
            hook = self.hooks[name] = Hook(name, site, program or Script(acts), self.recorder, alone)
        await hook.settle()
        return hook

    async def _site(self, alone: bool) -> Site:
        if self._shared and not alone:
            return self._shared
        site = Site(self.network, self.host, self.tasks, self._take)
        await site.open()
        if not alone:
            self._shared = site
        return site

    async def _take(self, arrival: Arrival, sender: Conversation) -> None:
        hook = self.hooks.get(arrival.http.target.partition("?")[0].removeprefix("/"))
        if hook:
            return await hook.take(arrival, sender)
        if len(self.strays) < STRAYS:
            self.strays.append(record(self.recorder, "", len(self.strays) + 1, arrival))
        return await sender.answer(404, (), b"")

    async def aclose(self) -> None:
        """Close every port, and wait until all connections have ended and their ends are recorded."""
        for hook in self.hooks.values():
            hook.end_outage()
            await hook.site.aclose()
