"""A bounded number of queries at work in threads; the rest wait a bounded time."""

from collections.abc import Callable
from typing import Any

import anyio


class Busy(Exception):
    """Raised when no place came free in time."""


class Gate:
    """`places` queries run at a time; others wait `seconds` at most. A caller that is cancelled gives its turn up."""

    def __init__(self, places: int, seconds: float) -> None:
        self.places, self.seconds = places, seconds
        self.working = self.waiting = 0
        self._limiter: anyio.CapacityLimiter | None = None

    async def run(self, call: Callable[[], Any]) -> Any:
        """The result of a call, made in a thread; Busy where it did not get its turn."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(self.places)
        self.waiting += 1
        try:
            with anyio.fail_after(self.seconds):
                await self._limiter.acquire_on_behalf_of(key := object())
        except TimeoutError:
            raise Busy from None
        finally:
            self.waiting -= 1
        self.working += 1
        try:
            threads = anyio.CapacityLimiter(1)
            with anyio.CancelScope(shield=True):  # a thread cannot be stopped: its place is free when it is done
                return await anyio.to_thread.run_sync(call, limiter=threads)
        finally:
            self.working -= 1
            self._limiter.release_on_behalf_of(key)
