"""What attacks did and found: as a table, as JSON, and in the page that says what the library withstands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import continuarm
from attack.workers import Counts

BEGIN, END = "<!-- counts of the last long run: begin -->", "<!-- counts of the last long run: end -->"
"""Between these the page has the table."""

HEADINGS = ("attacker", "cases", "findings", "slowest case", "peak memory")


def rows(counts: Mapping[str, Counts]) -> list[tuple[str, ...]]:
    """One for each attacker."""
    return [
        (
            name,
            f"{each.cases:,}",
            str(len(each.findings)),
            f"{each.slowest:.2f} s",
            f"{each.peak_memory / 1e6:.0f} MB",
        )
        for name, each in counts.items()
    ]


def table(counts: Mapping[str, Counts]) -> str:
    """For a terminal; under it, what came out of the cases."""
    every = [HEADINGS, *rows(counts)]
    widths = [max(len(row[k]) for row in every) for k in range(len(HEADINGS))]
    lines = [
        "  ".join(cell.rjust(widths[k]) if k else cell.ljust(widths[k]) for k, cell in enumerate(row)) for row in every
    ]
    for name, each in counts.items():
        outcomes = ", ".join(f"{word} {times:,}" for word, times in each.outcomes.most_common())
        lines.append(f"{name} (slowest: case {each.slowest_case}): {outcomes}")
    return "\n".join(lines)


def finding_text(finding: Mapping[str, object]) -> str:
    """A finding and how to make it again."""
    again = f"--only {finding['attacker']} --seed {finding['seed']} --case {finding['case']}"
    indented = str(finding["what"]).strip().replace("\n", "\n    ")
    return f"FOUND {finding['where']}\n    again: {again}\n    {indented}"


def as_text(run: Mapping[str, object], counts: Mapping[str, Counts]) -> str:
    """All counts and findings, JSON."""
    attackers = {
        name: {
            "cases": each.cases,
            "outcomes": dict(each.outcomes.most_common()),
            "findings": each.findings,
            "slowest_s": each.slowest,
            "slowest_case": each.slowest_case,
            "peak_memory_bytes": each.peak_memory,
            "seconds": each.seconds,
        }
        for name, each in counts.items()
    }
    return json.dumps({"run": dict(run), "attackers": attackers}, indent=2, ensure_ascii=False, default=str) + "\n"


def rewrite(page: Path, run: Mapping[str, object], counts: Mapping[str, Counts]) -> None:
    """Puts the table of a run between the two marks of a page."""
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    lines = [
        f"Version {continuarm.__version__}, {date.today()}: {run['seconds']} s with {run['workers']} processes, "
        f"seed {run['seed']}.",
        "",
        f"| {' | '.join(HEADINGS)} |",
        "|---|---:|---:|---:|---:|",
        *(f"| {' | '.join(row)} |" for row in rows(counts)),
    ]
    page.write_text(before + BEGIN + "\n\n" + "\n".join(lines) + "\n\n" + END + after, encoding="utf-8")
