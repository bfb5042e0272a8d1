"""Queries at work: so many threads, a bounded line before them, and nobody waited for who has gone."""

import asyncio
import math
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from starlette.types import Receive

from bfsql_rdf.serve.problems import Problem

T = TypeVar("T")


class ClientGone(Exception):
    """The client closed its connection before it had its answer."""


class Gate:
    """Runs work in at most `places` threads; `waiting` more stand in line, each for `seconds`. One event loop's."""

    def __init__(self, places: int, seconds: float, waiting: int) -> None:
        self.places, self.seconds, self.length = places, seconds, waiting
        self._free = places
        self._line: deque[asyncio.Future[None]] = deque()
        self._pool = ThreadPoolExecutor(places, thread_name_prefix="bfsql")

    @property
    def running(self) -> int:
        """How many are at work, the abandoned ones too."""
        return self.places - self._free

    @property
    def waiting(self) -> int:
        """How many stand in line."""
        return len(self._line)

    async def run(self, work: Callable[[], T], receive: Receive, seconds: float) -> T:
        """The result of `work`, called in a thread.

        Problem 503 when no thread is free in time or the work takes longer than `seconds` (it keeps its place until
        it ends: a thread cannot be stopped); ClientGone as soon as `receive` tells so.
        """
        loop = asyncio.get_running_loop()
        gone = loop.create_task(_gone(receive))
        try:
            await self._enter(gone)
            try:
                job = self._pool.submit(work)
            except RuntimeError:
                self._leave()
                raise Problem(503, "stopping", "the server is stopping", headers={"Retry-After": "10"}) from None
            job.add_done_callback(lambda done: self._done(done, loop))
            result = asyncio.wrap_future(job)
            both: set[asyncio.Future[Any]] = {result, gone}
            await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if result.done():
                return result.result()
            result.add_done_callback(lambda done: done.cancelled() or done.exception())
            if gone.done():
                raise ClientGone
            raise Problem(
                503,
                "timeout",
                f"the query was given up after {seconds:g} seconds",
                hint="Ask for less: fewer hops or seeds, a smaller page, narrower filters",
                headers={"Retry-After": str(math.ceil(seconds))},
            )
        finally:
            gone.cancel()

    async def _enter(self, gone: "asyncio.Task[None]") -> None:
        if self._free and not self._line:
            self._free -= 1
            return
        if len(self._line) >= self.length:
            raise self._busy()
        turn = asyncio.get_running_loop().create_future()
        self._line.append(turn)
        try:
            await asyncio.wait({turn, gone}, timeout=self.seconds, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._step_out(turn)
            raise
        if turn.done() and not gone.done():
            return
        self._step_out(turn)
        raise ClientGone if gone.done() else self._busy()

    def _step_out(self, turn: "asyncio.Future[None]") -> None:
        if turn.done():
            self._leave()
        else:
            self._line.remove(turn)

    def _leave(self) -> None:
        if self._line:
            self._line.popleft().set_result(None)
        else:
            self._free += 1

    def _done(self, job: "Future[T]", loop: asyncio.AbstractEventLoop) -> None:
        with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
            loop.call_soon_threadsafe(self._leave)

    def _busy(self) -> Problem:
        return Problem(
            503,
            "busy",
            f"{self.places} queries are at work and {self.waiting} wait",
            hint="Try again later",
            headers={"Retry-After": str(max(1, math.ceil(self.seconds)))},
        )

    def close(self) -> None:
        """Take no more work; what runs is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
