"""The rules of the test gate: required tools, expected skips, whose warnings are errors, and what tests cost.

With CI=true in the environment a test that is skipped for a reason not in `EXPECTED_SKIPS` fails.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from install import TOOLS, find_tool

ROOT = Path(__file__).parents[1]
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: threads of two workers wait for each other
CI = os.environ.get("CI", "").lower() not in ("", "0", "false", "no")

EXPECTED_SKIPS = {
    r"device = 'cuda': there is no GPU that CUDA can use.*": "nothing else can run device code; NVRTC compiles it",
    "there is a GPU": "the error of machines without a GPU is tested on those",
    "this processor runs the baseline alone": "no other instruction set can be compared",
}
"""Reasons for which CI accepts that a test is skipped, as patterns, and why it does."""

TORCH = getattr(importlib.util.find_spec("torch"), "origin", None) is not None  # a folder of that name has none
TORCH_TESTS = "with_torch"
"""A folder of tests that `make test-torch` runs, beside those with the marker torch."""

COST_TABLE = re.compile(r"(?<=<!-- costs: begin -->\n).*?(?=<!-- costs: end -->)", re.DOTALL)


def tool(name: str) -> str:
    """Finds a program, or skips the test with the name of its package."""
    path = find_tool(name)
    if path is None:
        pytest.skip(f"{name} is missing: apt-get install {TOOLS[name]}")
    return path


def cpu_seconds() -> float:
    """User and system time of this process and of its children that have ended, s."""
    return sum(os.times()[:4])


COSTS: defaultdict[str, list[float]] = defaultdict(lambda: [0, 0.0])
"""Number of tests and CPU time in s, by test file; those of all workers in the process that started them."""


def cost_table() -> str:
    """Formats the ten most expensive files as Markdown."""
    costliest = sorted(COSTS.items(), key=lambda item: -item[1][1])[:10]
    rows = [f"| `{name}` | {count} | {seconds:.0f} |" for name, (count, seconds) in costliest]
    return "\n".join(["| file | tests | CPU time (s) |", "|---|---|---|", *rows, ""])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-costs", metavar="PAGE", help="write the table of the most expensive files into a page")


def pytest_configure(config: pytest.Config) -> None:
    """Other packages' deprecations are theirs; whatever is attributed to a module of ours stays an error."""
    folders = [ROOT / name for name in ("tests", "tools", "docs/extensions", "examples")]
    modules = sorted({path.stem for folder in folders for path in folder.rglob("*.py")})
    ours = "|".join([r"<\w+>", r"(continuarm|attack)\b.*", *map(re.escape, modules)])  # <run_path> runs an example
    if not TORCH and re.fullmatch(r".*(?<!not )\btorch\b.*", config.getoption("markexpr", "")):
        raise pytest.UsageError("torch is not installed: make test-torch installs it")
    for category in ("DeprecationWarning", "PendingDeprecationWarning", "FutureWarning"):
        config.addinivalue_line("filterwarnings", f"ignore::{category}:(?!({ours})$)")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leaves out the tests of torch where it is not installed: importing them would fail."""
    return True if collection_path.name == TORCH_TESTS and not TORCH else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks tests of torch, and those of instruction sets that only a binary with all of them has."""
    for item in items:
        if item.path.parent.name == TORCH_TESTS:
            item.add_marker(pytest.mark.torch)
        level = item.callspec.params.get("level") if hasattr(item, "callspec") else None
        if level is not None:
            from continuarm.engine.compiled import native

            if level in native.build_info()["instruction_sets"][1:-1]:
                item.add_marker(pytest.mark.exhaustive)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    before = cpu_seconds()
    try:
        return (yield)
    finally:
        name = item.nodeid.partition("::")[0]
        COSTS[name][0] += 1
        COSTS[name][1] += cpu_seconds() - before


def _refuse_skips(report: Any) -> Any:
    """Turns a skip that is not expected into a failure, in CI."""
    reason = report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else "xfail"
    if CI and report.skipped and not any(re.fullmatch(pattern, reason, re.DOTALL) for pattern in EXPECTED_SKIPS):
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} may not be skipped in CI: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    return _refuse_skips((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    return _refuse_skips((yield))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["costs"] = dict(COSTS)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    for name, (count, seconds) in getattr(node, "workeroutput", {}).get("costs", {}).items():  # none after a crash
        COSTS[name][0] += count
        COSTS[name][1] += seconds


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Says what the run cost and how to run what was skipped, in its last lines."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput") or not reporter.stats:
        return
    page = config.getoption("--write-costs")
    if page:
        text = Path(page).read_text(encoding="utf-8")
        Path(page).write_text(COST_TABLE.sub(lambda _: cost_table(), text), encoding="utf-8")
    reporter.write_line(f"{cpu_seconds() / 60:.2f} core-minutes of CPU time")
    reasons = [report.longrepr[2] for report in reporter.stats.get("skipped", [])]
    if reasons:
        missing = {package for reason in reasons for package in re.findall("apt-get install (.*)", reason)}
        reporter.write_line(
            f"{len(reasons)} skipped for the reasons above"
            + (f"; to run them: apt-get install {' '.join(sorted(missing))}, then the same command" if missing else "")
        )
