"""Runs the attacks for a time, or one case of one of them again. Exit code 1: something was found."""

from __future__ import annotations

import os
import signal

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices, and processes that are forked
os.environ.setdefault("MPLBACKEND", "agg")

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from attack import report
from attack.attacker import Attacker, Finding, generator
from attack.attackers import ATTACKERS
from attack.forked import import_everything
from attack.workers import FROM_ONE_SLICE_TO_THE_NEXT, Counts, Slice, Worker

EVERY = 10.0
"""Seconds between two lines of progress."""


def main() -> int:
    """The exit code."""
    chosen = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    attackers = [each for each in ATTACKERS if not chosen.only or each.name in chosen.only]
    import_everything()
    if chosen.case is not None:
        return _one_case(attackers, chosen.seed, chosen.case)
    counts = {each.name: Counts() for each in attackers}
    began = time.monotonic()
    _attack(_slices(attackers, chosen.seconds, chosen.seed, chosen.cases, chosen.workers), counts, chosen.workers)
    print()
    print(report.table(counts))
    run = {"seconds": round(time.monotonic() - began), "seed": chosen.seed, "workers": chosen.workers}
    if chosen.json:
        chosen.json.write_text(report.as_text(run, counts), encoding="utf-8")
    if chosen.page:
        report.rewrite(chosen.page, run, counts)
    found = sum(len(each.findings) for each in counts.values())
    print(f"\n{found} finding{'' if found == 1 else 's'}")
    return 1 if found else 0


def _arguments() -> argparse.Namespace:
    names = [each.name for each in ATTACKERS]
    parser = argparse.ArgumentParser(prog="attack", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="how long, all attackers together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", action="append", choices=names, help="may be repeated")
    parser.add_argument("--case", type=int, help="this one again, in this process")
    parser.add_argument("--cases", type=int, help="so many of each attacker, however long they take")
    parser.add_argument("--json", type=Path, help="write all counts and findings")
    parser.add_argument("--page", type=Path, help="rewrite the table of counts in a page")
    return parser.parse_args()


def _slices(attackers: list[Attacker], seconds: float, seed: int, cases: int | None, workers: int) -> Iterator[Slice]:
    """What is to be run, in turns."""
    if cases is not None:
        for each in attackers:
            yield Slice(each, seed, 0, 1e9, cases)
        return
    whole = sum(each.share for each in attackers)
    left = {each.name: each.share / whole * seconds * workers for each in attackers}
    turns = dict.fromkeys(left, 0)
    while any(left.values()):
        for each in attackers:
            some = left[each.name] if left[each.name] < 1.5 * each.turn else each.turn
            if some:
                left[each.name] -= some
                yield Slice(each, seed, turns[each.name] * FROM_ONE_SLICE_TO_THE_NEXT, some)
                turns[each.name] += 1


def _attack(slices: Iterator[Slice], counts: dict[str, Counts], workers: int) -> None:
    running: list[Worker] = []
    try:
        _watch(slices, counts, workers, running)
    finally:  # Ctrl-C, too: workers are in groups of their own and do not hear it
        for worker in running:
            worker.end_now()


def _watch(slices: Iterator[Slice], counts: dict[str, Counts], workers: int, running: list[Worker]) -> None:
    began = told = time.monotonic()
    while True:
        while len(running) < workers and (part := next(slices, None)) is not None:
            running.append(Worker(part, counts[part.attacker.name]))
        if not running:
            return
        time.sleep(0.02)
        for worker in list(running):
            for finding in worker.watch():
                if worker.counts.add(finding):
                    print(report.finding_text(finding), flush=True)
            if not worker.pid:
                running.remove(worker)
        if time.monotonic() - told > EVERY:
            told = time.monotonic()
            now = {name: each.cases for name, each in counts.items()}
            for worker in running:
                now[worker.part.attacker.name] += worker.cases
            print(f"{told - began:5.0f} s  " + "  ".join(f"{name} {done}" for name, done in now.items()), flush=True)


def _one_case(attackers: list[Attacker], seed: int, case: int) -> int:
    (attacker,) = attackers
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        os.chdir(folder)
        try:
            print(attacker.begin(Path(folder))(generator(seed, case)))
        except Finding as finding:
            if finding.__cause__ is not None:
                import traceback

                traceback.print_exception(finding.__cause__)
            print(finding)
            return 1
        finally:
            os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
