"""The benchmark runs, and its baselines gather what the product does."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_benchmark_runs_and_both_sides_agree() -> None:
    command = [sys.executable, "-m", "bench", "--statements", "2000"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert " yes" in done.stdout
    assert "NO:" not in done.stdout
    assert "equal: True" in done.stdout


def test_the_load_on_a_sidecar_is_answered_without_errors() -> None:
    command = [sys.executable, "-m", "bench.sidecar", "--statements", "2000", "--seconds", "0.3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if "clients, sidecar" in line]
    assert len(rows) == 4
    assert all(" none " in row for row in rows)
