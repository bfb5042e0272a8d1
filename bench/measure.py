"""Timing by medians, and tables whose columns line up."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Timed:
    """What several calls took, in ms: the first (caches may be warm from calls before) and the median of all."""

    first: float
    median: float


def measure(call: Callable[[], T], runs: int) -> tuple[Timed, T]:
    """The times of `runs` calls (four times as many when they are short), and the last result.

    With fewer than five runs, as `--quick` asks, long calls are made but once.
    """
    times: list[float] = []
    while True:
        start = time.perf_counter()
        result = call()
        times.append((time.perf_counter() - start) * 1000)
        spent = sum(times)
        enough = len(times) >= runs and (spent > 100 or len(times) >= 4 * runs)
        if enough or (runs < 5 and spent > 100):
            return Timed(times[0], statistics.median(times)), result


class Table:
    """Prints rows as they come: a label of fixed width, then right-aligned columns."""

    def __init__(self, title: str, columns: Sequence[str], label: int = 36, width: int = 11) -> None:
        self._label, self._width = label, width
        print()
        self.row(title, *columns)
        print("-" * (label + width * len(columns)), flush=True)

    def row(self, label: str, *cells: object) -> None:
        """Floats in one decimal, whole numbers with separators, text as it is."""
        spelled = [f"{spell(cell):>{self._width}}" for cell in cells]
        print(f"{label:{self._label}}" + "".join(spelled), flush=True)


def spell(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:,.1f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def ratio(ours: float, theirs: float) -> str:
    return f"{ours / theirs:.2f}" if theirs else "-"
