"""A reverse proxy whose only business is its faults: a user's client speaks to it instead of to his server."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from ipaddress import ip_address
from ssl import SSLContext
from typing import ClassVar
from urllib.parse import urlsplit

from anyio.abc import TaskGroup

from ..chance import Chance
from ..faults import Armed, Exchange, Fault, Mount
from ..faults.exchange import Forward
from ..faults.profile import Profile
from ..relay import Dial, Layers, Link, Relay, layers
from ..transport.network import Listener, Network
from ..transport.tls import connect
from .places import mounted
from .sight import overseen
from .traffic import Logged

BINDING = "http"


@dataclass(frozen=True, slots=True)
class Upstream:
    """The origin of a server; `tls` where it speaks TLS."""

    url: str
    tls: SSLContext | None = None

    @property
    def authority(self) -> str:
        """Host and port as a Host header names them."""
        return urlsplit(self.url).netloc

    @property
    def origin(self) -> str:
        return f"{urlsplit(self.url).scheme}://{self.authority}"

    def dial(self, network: Network) -> Dial:
        parts = urlsplit(self.url)
        to = parts.hostname or "", parts.port or (443 if self.tls else 80)
        return lambda: connect(network, *to, self.tls) if self.tls else network.connect(*to)


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressed(Fault):
    """A request to the relay names the server as its host, and as its origin where that was the relay.

    Only where it named the relay by `host` or an IP address, and `port`: a name that a stranger let lead to it stays,
    so that the server can refuse it.
    """

    name: ClassVar[str] = "addressed"
    mounts: ClassVar[frozenset[Mount]] = frozenset({Mount.RELAY})
    upstream: Upstream
    host: str
    port: int

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        headers = tuple((name, self._value(name.lower(), value)) for name, value in exchange.request.headers)
        if headers != exchange.request.headers:
            exchange.change(replace(exchange.request, headers=headers))
        await forward()

    def _value(self, name: str, value: str) -> str:
        if name == "host" and self._is_relay(value):
            return self.upstream.authority
        if name == "origin" and value.startswith("http://") and self._is_relay(value.removeprefix("http://")):
            return self.upstream.origin
        return value

    def _is_relay(self, authority: str) -> bool:
        try:
            parts = urlsplit(f"//{authority}")
            named, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        return port == self.port and (named in (self.host, "localhost") or _is_address(named))


def _is_address(host: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(host))
    return False


@dataclass(slots=True)
class Gateway:
    """`upstreams` serve in turn. Faults are armed anew by `arm`, for the requests and connections that come then."""

    upstreams: Sequence[Upstream]
    listener: Listener
    network: Network
    chance: Chance
    logged: Logged
    tasks: TaskGroup
    keep_host: bool = False
    most: int = 1024
    """Connections at once; further ones are reset."""
    relay: Relay = field(init=False)
    door: Link = field(init=False)

    def __post_init__(self) -> None:
        oversee = partial(overseen, self.logged, self.upstreams[0].origin)
        self.relay = Relay((), (), self.chance, self.logged.fired, oversee=oversee)
        dial = self.relay.dialer(self.tasks)
        self.door = Link(dial, (), self.chance, self.logged.fired, self.relay.handle, self.most)

    def arm(self, profile: Profile) -> None:
        """Put these faults in the place of those before. Raises Unmountable, and keeps those then."""
        places = layers(mounted(profile, BINDING), BINDING)
        self.relay.rearm(self._dials(places), (*self._addressed(), *places.exchange))
        self.door.rearm(places.connect)

    def _addressed(self) -> Sequence[Fault]:
        host, port = self.listener.host, self.listener.port
        return () if self.keep_host else [Addressed(times=0, upstream=self.upstreams[0], host=host, port=port)]

    def _dials(self, places: Layers) -> list[Dial]:
        """The ways to the servers, through the faults of bytes, which all of them share."""
        direct = [upstream.dial(self.network) for upstream in self.upstreams]
        if not places.octets:
            return direct
        return [Link(dial, places.octets, self.chance, self.logged.fired).dialer(self.tasks) for dial in direct]

    async def serve(self) -> None:
        """Accept connections until cancelled."""
        await self.door.serve(self.listener, self.tasks, self.network)
