"""Parts of a sweep on any executor of concurrent.futures: what a killed process had to do is done again.

Of a pool that broke nobody knows which of the points in work broke it. They are computed again, one part at a time, in
new processes; a part that breaks its process alone is taken apart, and a point that does so twice is given up.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
from collections import Counter, deque
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from multiprocessing import connection, parent_process
from typing import Any

from continuarm.common.argument_checks import kind_of
from continuarm.common.files import cause
from continuarm.engine.compiled import PROCESSORS
from continuarm.sweeps.points import Points
from continuarm.sweeps.tasks import Part, Task, failed, message

IN_WORK = 256
"""Parts that an executor is given before it has answered any: enough for a cluster."""
ATTEMPTS = 2
"""Times that a point, alone in its process, may end it before it is given up."""
HOPELESS = 3
"""Points that were given up before any was computed: then it is not the points."""

CRASHED = f"its process was killed or crashed, {ATTEMPTS} times"
"""What is kept of a point that was given up: nothing about the process, which is another each time."""

GUARDED = "a script whose processes are spawned must call sweep below if __name__ == '__main__'"
LOOKS = 0.2
"""Seconds after which a process of our own looks whether it is to end."""

Chunk = tuple[int, ...]


def check_executor(executor: Any) -> None:
    """Raises TypeError unless it is None or an executor of concurrent.futures."""
    if executor is not None and not isinstance(executor, Executor):
        known = "a concurrent.futures executor, as ProcessPoolExecutor(4), or client.get_executor() of Dask"
        raise TypeError(f"executor is {kind_of(executor)}: must be {known}")


def check_sendable(task: Task, executor: Executor | None) -> None:
    """Raises ValueError where processes are to compute what cannot be sent to them."""
    if executor is not None and not isinstance(executor, ProcessPoolExecutor):
        return
    try:
        pickle.dumps(task)
    except Exception as error:  # of a stranger's class anything
        hint = "must be at the top level of a module, or use executor=ThreadPoolExecutor()"
        raise ValueError(f"function_or_arm cannot be sent to another process, {cause(error)}: {hint}") from None


class Workers:
    """An executor that was given, or processes of our own, made again where they broke."""

    def __init__(self, given: Executor | None, processes: int) -> None:
        self.given, self._processes = given, processes
        self.most = IN_WORK if given is not None else 2 * processes
        self._own: ProcessPoolExecutor | None = None
        self._stop: Any = None

    def submit(self, task: Task, numbers: Chunk, points: Points) -> Future[Part]:
        """A part, to be computed; BrokenExecutor where an executor that was given has lost a process."""
        while True:
            try:
                return self._executor().submit(task, numbers, points.at(numbers))
            except BrokenExecutor:
                if self.given is not None:
                    raise
                self.renew()
            except Exception as error:  # RuntimeError after its shutdown, anything of other packages
                if self.given is None:
                    raise ValueError(f"executor: no process can be started here: {GUARDED}") from None
                raise ValueError(f"executor takes no work: {cause(error)}: must be one that is open") from None

    def renew(self) -> None:
        """New processes the next time that something is submitted."""
        self.close(at_once=True)

    def close(self, at_once: bool) -> None:
        """Ends processes of our own: when they have nothing more to do, or whatever they do."""
        if self._own is not None:
            if at_once:
                self._stop.set()
            self._own.shutdown(wait=not at_once, cancel_futures=True)
            self._own = None

    def _executor(self) -> Executor:
        if self.given is not None:
            return self.given
        if self._own is None:
            self._stop = multiprocessing.Event()
            self._own = ProcessPoolExecutor(self._processes, initializer=_begin, initargs=(self._stop,))
        return self._own


class Queue:
    """Chunks that are to be computed: many at a time, but those that may have ended a process alone, one by one."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._waiting, self._doubtful = deque(chunks), deque[Chunk]()
        self._deaths = Counter[Chunk]()

    def __bool__(self) -> bool:
        return bool(self._waiting or self._doubtful)

    def next(self, running: int, most: int) -> Chunk | None:
        """The chunk to begin beside so many that are running; None where one has to wait."""
        if self._doubtful:
            return None if running else self._doubtful.popleft()
        return self._waiting.popleft() if self._waiting and running < most else None

    def lost(self, chunk: Chunk, was_alone: bool) -> bool:
        """Puts a chunk back whose process ended; whether it is given up instead."""
        if was_alone and len(chunk) > 1:
            self._doubtful.extend((number,) for number in chunk)
            return False
        self._deaths[chunk] += was_alone
        if self._deaths[chunk] >= ATTEMPTS:
            return True
        self._doubtful.append(chunk)
        return False


def computed(
    task: Task, points: Points, chunks: Sequence[Chunk], executor: Executor | None, processes: int = PROCESSORS
) -> Generator[tuple[Chunk, Part]]:
    """The parts of all chunks, in the order in which they are done."""
    workers, queue = Workers(executor, processes), Queue(chunks)
    running: dict[Future[Part], Chunk] = {}
    any_done, given_up, why = False, 0, ""
    try:
        while queue or running:
            while (chunk := queue.next(len(running), workers.most)) is not None:
                try:
                    running[workers.submit(task, chunk, points)] = chunk
                except BrokenExecutor:
                    raise ValueError(_broken(points, [*running.values(), chunk])) from None
            was_alone, is_broken = len(running) == 1, False
            lost: list[Chunk] = []
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                chunk = running.pop(future)
                try:
                    part = future.result()
                except pickle.PicklingError as error:
                    raise ValueError(f"function_or_arm cannot be sent to a worker: {cause(error)}") from None
                except Exception as error:  # the task itself raises nothing: its process is gone
                    is_broken |= isinstance(error, BrokenExecutor)
                    why = GUARDED if is_broken else message(error)
                    lost.append(chunk)
                else:
                    any_done = True
                    yield chunk, part
            if is_broken:  # and with it all that is in work
                lost += running.values()
                running.clear()
                if executor is not None:
                    raise ValueError(_broken(points, lost))
                workers.renew()
            for chunk in lost:
                if queue.lost(chunk, was_alone):
                    given_up += 1
                    if given_up >= HOPELESS and not any_done:
                        raise ValueError(f"function_or_arm: no process stays alive to compute a point: {why}")
                    yield chunk, failed(1, CRASHED)
        workers.close(at_once=False)
    finally:
        for future in running:
            future.cancel()
        workers.close(at_once=True)


def _broken(points: Points, chunks: Sequence[Chunk]) -> str:
    numbers = sorted(number for chunk in chunks for number in chunk)
    more = f" and {len(numbers) - 1} more" if len(numbers) > 1 else ""
    which = f"{points.words(numbers[0])}{more} not computed"
    return f"executor: one of its processes was killed, {which}: must be a new one to go on"


def _begin(stop: Any) -> None:
    """A process of our own ends without a word: at Ctrl-C, when it is told, and with the process that began it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        with contextlib.suppress(OSError):
            while not connection.wait([parent.sentinel], LOOKS) and not stop.is_set():
                pass
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
