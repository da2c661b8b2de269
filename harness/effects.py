"""Stimuli played, and their effects read: the control, and what an interference left of it."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urljoin

import anyio

from .berth import Berth, Unfit
from .model import Column, Reason, Role
from .planning import barred_text, played_by
from .protocols.driver import PIPES, Play, Session
from .protocols.http import HttpCarrier
from .protocols.limits import rest
from .protocols.outcome import Answer
from .stimuli import Stimulus
from .transcript import Kind, Recorder
from .transport.http import Holder, HttpClient, HttpFailure
from .witness import NOTHING, Control, Reading, Sighting, about, gained, read, text_of

READING_LIMIT = 1024 * 1024
"""Bytes of a witness's answer that are read."""


MEASURED = frozenset({Role.SLOW, Role.PROGRESS, Role.LOGS, Role.STREAM_CLOSE, Role.TASK})
"""Roles that take their time. The others are over at once, or wait for the client."""


@dataclass(slots=True, eq=False)
class Effects:
    """The stimuli of one case. Everything that cannot be played raises Unfit, which makes the case INCONCLUSIVE."""

    berth: Berth
    column: Column
    recorder: Recorder

    def stimulus(self, role: Role) -> Stimulus:
        found = played_by(role, self.column.binding, self.berth.stimuli)
        barred = played_by(role, self.column.binding, self.berth.barred)
        if found is None and barred:
            raise Unfit(Reason.UNSAFE, barred_text(role, barred))
        if found is None:
            reason = Reason.NO_WITNESS if role is Role.WITNESS else Reason.NO_STIMULUS
            raise Unfit(reason, f"no stimulus is configured for the role {role.value}")
        return found

    def has(self, role: Role) -> bool:
        return played_by(role, self.column.binding, self.berth.stimuli) is not None

    def fresh_key(self) -> str:
        """A key that no other play of this run has."""
        case = self.recorder.case
        self.berth.keys[case] += 1
        return self.berth.chance.child(f"{case}/{self.berth.keys[case]}").random().randbytes(6).hex()

    async def plan(self, role: Role, *, key: str | None = None, **values: Any) -> Play:
        """A stimulus made ready to be sent. `values`: seconds, count, gap, text, level, city.

        How long it lasts is what was asked for where the stimulus takes it, what its owner states, or measured; a
        role that takes no time of its own lasts 0 seconds.
        """
        stimulus = self.stimulus(role)
        play = self._filled(role, stimulus, key or self.fresh_key(), values)
        if play.lasts < 0:
            lasts = (await self.control(role, **values)).duration if role in MEASURED else 0.0
            play = replace(play, lasts=lasts)
        self.recorder.note(Kind.STIMULUS, "", role=role.value, key=play.key, method=play.method, params=play.params)
        return play

    def _filled(self, role: Role, stimulus: Stimulus, key: str, values: dict[str, Any]) -> Play:
        filled = stimulus.fill(key=key, **values)
        method, params = self.berth.driver.request(filled)
        known = stimulus.placeholders
        number = values.get("count", 5) if "count" in known else stimulus.count or 0
        gap = values.get("gap", 0.1) if "gap" in known else stimulus.gap or 0.0
        return Play(role.value, method, params, _lasting(stimulus, values, number, gap), number, gap, key)

    # The witness

    async def reading(self, key: str, via: Session) -> Reading:
        """Ask the witness about a key. Over stdio through `via`; over HTTP through a session of its own."""
        stimulus = self.stimulus(Role.WITNESS)
        filled = stimulus.fill(key=key)
        if filled.verb == "get":
            text = await self._got(self._address(filled.name, via))
        elif filled.verb in ("file", "command"):
            text = await (_tail if filled.verb == "file" else _output)(filled.name)
        else:
            text = await self._asked(replace(self._filled(Role.WITNESS, stimulus, key, {}), lasts=0.0), via)
        return read(text, self.recorder.note(Kind.WITNESS, "", key=key, reading=text))

    async def _asked(self, play: Play, via: Session) -> str:
        if self.column.binding == PIPES:
            return self._text(await (await via.start(play)).outcome())
        async with self.berth.lent(self.column, self.recorder) as session:
            return self._text(await (await session.start(play)).outcome())

    def _text(self, outcome: Any) -> str:
        if not isinstance(outcome, Answer):
            raise Unfit(Reason.STIMULUS_FAILED, "the witness did not answer")
        if outcome.failed:
            raise Unfit(Reason.STIMULUS_FAILED, f"the witness failed: {text_of(outcome.result):.200}")
        return text_of(outcome.result)

    def _address(self, place: str, via: Session) -> str:
        """Where a witness is read: a path is one of the host and port that the session speaks to."""
        if isinstance(via.carrier, HttpCarrier):
            return urljoin(via.carrier.url, place)
        if place.startswith("/"):
            raise Unfit(Reason.STIMULUS_FAILED, f"the witness {place} is only a path, but the target has no url")
        return place

    async def _got(self, url: str) -> str:
        """What a witness shows there, asked once more after the rest that it wants. Raises Withheld, like a session."""
        client = self.berth.client(url)
        try:
            if isinstance(found := await self._read(client, url), str):
                return found
            client.pace.pause(found)
            if isinstance(found := await self._read(client, url), str):
                return found
            client.pace.refuse("the witness limits its readers, also after a rest")
        except HttpFailure as failure:
            raise Unfit(Reason.STIMULUS_FAILED, f"the witness at {url} cannot be read: {failure}") from failure
        finally:
            await client.aclose()

    async def _read(self, client: HttpClient, url: str) -> str | float:
        """The text there, or the seconds of rest that are asked for instead. Raises HttpFailure."""
        body = bytearray()
        async with client.stream("GET", url, (("User-Agent", self.berth.agent),), None, Holder()) as response:
            if (wait := rest(response.status, response.headers)) is not None:
                return wait
            client.pace.taken()
            if response.status >= 300:
                raise HttpFailure(f"HTTP {response.status}")
            async for chunk in response.chunks:
                body += chunk
                if len(body) > READING_LIMIT:
                    break
        return body.decode("utf-8", "replace")

    # Control and contrast

    async def control(self, role: Role, **values: Any) -> Control:
        """Play a stimulus that nobody interferes with, once for all cases of the column, and keep what it left."""
        name = ("control", self.column, role, tuple(sorted(values.items())))
        async with self.berth.turn(name):
            if name not in self.berth.remembered:
                self.berth.remembered[name] = await self._controlled(role, values)
            found: Control = self.berth.remembered[name]
            return found

    async def _controlled(self, role: Role, values: dict[str, Any]) -> Control:
        recorder = self.berth.recorder(self.column, "control")
        own = Effects(self.berth, self.column, recorder)
        play = self._filled(role, self.stimulus(role), own.fresh_key(), values)
        async with self.berth.lent(self.column, recorder) as session:
            before = await own._before(play.key, session)
            begun = anyio.current_time()
            exchange = await session.start(play)
            outcome = await exchange.outcome(max(play.lasts, 0) + self.berth.tempo.scaled(30))
            if not isinstance(outcome, Answer):
                raise Unfit(Reason.STIMULUS_FAILED, f"the stimulus {role.value} did not succeed when left alone")
            duration = anyio.current_time() - begun
            after = await own._after(play.key, session)
        seen = about(gained(before, after), self.berth.driver.name_of(outcome))
        return Control(duration, seen, outcome.records, after.counts is not None)

    async def _before(self, key: str, via: Session) -> Reading:
        """A reading while nothing is at work, as far as counts tell; what goes on for long is not waited for."""
        if not self.has(Role.WITNESS):
            return NOTHING
        found = await self.reading(key, via)
        for _ in range(60):
            if not found.busy:
                break
            await anyio.sleep(self.berth.tempo.scaled(0.5))
            found = await self.reading(key, via)
        return found

    async def _after(self, key: str, via: Session) -> Reading:
        """A count may be raised a little later than the end is told."""
        if not self.has(Role.WITNESS):
            return NOTHING
        found = await self.reading(key, via)
        return found if found.counts is None else (await self._settled(key, via, found))[-1]

    async def _settled(self, key: str, via: Session, first: Reading) -> list[Reading]:
        """Readings from that one on, until two in a row agree."""
        readings = [first]
        for _ in range(20):
            await anyio.sleep(self.berth.tempo.scaled(0.3))
            readings.append(await self.reading(key, via))
            if readings[-1].same(readings[-2]):
                break
        return readings

    async def baseline(self, play: Play, via: Session) -> Reading:
        """What the witness shows before a play: nothing where it is keyed."""
        return NOTHING if self.stimulus(Role.WITNESS).keyed else await self._before(play.key, via)

    async def sight(
        self, play: Play, control: Control, via: Session, before: Reading, begun: float, name: str = ""
    ) -> Sighting:
        """What a play left behind, read when it would long be over had nobody interfered.

        `name` is what a witness may call this work by, where it does not know its key: the id of an A2A task.
        Waits until the control's duration and half of it again have passed since `begun`, then until two
        readings in a row agree (a loaded machine may only have slowed the work down).
        """
        late = begun + control.duration * 1.5 + self.berth.tempo.scaled(0.5)
        await anyio.sleep(max(0.0, late - anyio.current_time()))
        readings = await self._settled(play.key, via, await self.reading(play.key, via))
        return Sighting(about(gained(before, readings[-1]), name), control, tuple(r.record for r in readings))


async def _tail(path: str) -> str:
    """The end of a file."""
    try:
        async with await anyio.open_file(path, "rb") as file:
            await file.seek(max(0, await file.seek(0, os.SEEK_END) - READING_LIMIT))
            return (await file.read(READING_LIMIT)).decode("utf-8", "replace")
    except OSError as error:
        raise Unfit(Reason.STIMULUS_FAILED, f"the witness {path} cannot be read: {error}") from error


async def _output(command: str) -> str:
    """The end of what a command prints."""
    try:
        done = await anyio.run_process(shlex.split(command), check=False)
    except (OSError, ValueError) as error:
        raise Unfit(Reason.STIMULUS_FAILED, f"the witness {command!r} cannot be run: {error}") from error
    return done.stdout[-READING_LIMIT:].decode("utf-8", "replace")


def _lasting(stimulus: Stimulus, values: dict[str, Any], number: int, gap: float) -> float:
    """Seconds that a play takes; -1 where only a measurement can tell."""
    if "seconds" in stimulus.placeholders:
        return float(values.get("seconds", 2.0))
    if stimulus.lasts is not None:
        return stimulus.lasts
    return number * gap if number and gap else -1.0
