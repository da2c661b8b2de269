"""The thread in which sessions live while pytest waits: one event loop, whatever pytest itself runs."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class TrioThread:
    """Calls into the loop, from outside it. `stack` closes what was entered, the last first, before the loop ends."""

    portal: BlockingPortal
    stack: ExitStack = field(default_factory=ExitStack)

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[TrioThread]:
        with _terminable(), start_blocking_portal("trio", name="seatrial") as portal:
            with ExitStack() as stack:
                yield cls(portal, stack)
            # Whoever was interrupted while he waited for a context to open has left its task behind.
            portal.call(portal.stop, True)

    def call(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """What a function gives, or the coroutine that it makes, run in the loop. Raises what it raises.

        Who stops waiting for it ends it.
        """
        __tracebackhide__ = True
        future = self.portal.start_task_soon(partial(function, *arguments, **named))
        try:
            return future.result()
        finally:
            future.cancel()

    def plain(self, manager: AbstractAsyncContextManager[T]) -> AbstractContextManager[T]:
        """An async context as a plain one. It is entered and left in one task of its own."""
        return self.portal.wrap_async_context_manager(manager)

    def enter(self, manager: AbstractAsyncContextManager[T]) -> T:
        """Open something for as long as the thread goes on."""
        return self.stack.enter_context(self.plain(manager))


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM ends pytest as an interrupt does, lest what was started goes on; unless somebody else sees to it."""
    idle = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    ours = idle and threading.current_thread() is threading.main_thread()
    if ours:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
