"""The commands `continuarm reproduce` and `continuarm energy-shaping`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from continuarm.cli.options import AsJson
from continuarm.cli.output import claim, new_table, one_line, progress_bar, show, show_json
from continuarm.common.command_start import INTERRUPTED
from continuarm.common.files import output_path
from continuarm.common.text import printable

if TYPE_CHECKING:
    from continuarm.paper.energy_shaping import EnergyShapingFit
    from continuarm.reproduction.report_folder import Reproduction

__all__ = ["energy_shaping", "reproduce"]


def reproduce(
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FOLDER", help="Where the report goes.")
    ] = "out/reproduction",
    quick: Annotated[bool, typer.Option("--quick", help="Fewer samples and repeats: within a minute.")] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="STUDY", help="Only this study; may be given several times.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Compute again what is there already.")] = False,
    seed: Annotated[int, typer.Option(help="Of all random numbers.")] = 0,
    recordings: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Recordings of real arms: examples/recordings of the source, which is found where it is there.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compute every claim of the paper again and write a report: report.html, report.json, figures and their data.

    Studies: near-straight, modal-form, point-mass, energy-shaping, validation, complexity, experiments,
    real-arms. Finished ones are kept and not computed again, also after an interruption. Exit codes: 0 done; 2 bad
    input; 130 interrupted.
    """
    from continuarm.reproduction import report_folder as reproduction

    if not output.strip():
        raise ValueError("output = '': must be the name of a folder")
    try:
        made = reproduction.reproduce(
            output,
            extent=reproduction.QUICK if quick else reproduction.FULL,
            only=only or (),
            fresh=fresh,
            seed=seed,
            recordings=recordings,
            watch=progress_bar,
        )
    except KeyboardInterrupt:
        print(f"interrupted: finished studies are kept in {printable(output)}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        show_json(_reproduction_numbers(made))
    else:
        _show_claims(made)


def _reproduction_numbers(made: Reproduction) -> dict[str, Any]:
    """Claims and numbers; the tables of the figures are in report.json."""
    studies = {name: {"numbers": each.numbers, "times": each.times} for name, each in made.found.items()}
    files = {"report": str(made.report), "json": str(made.folder / "report.json")}
    return files | {"computed": list(made.computed), "claims": list(made.claims), "studies": studies}


def _show_claims(made: Reproduction) -> None:
    """All claims, then what fits one screen: counts of verdicts, the sentences that matter, and where the report is."""
    from continuarm.reproduction.number_text import plain
    from continuarm.reproduction.summary import TALLY, summary_sentences, tally

    table = new_table("claim", "the paper", "here", "verdict")
    for row in made.claims:
        table.add_row(
            f"{plain(row['claim'])} ({row['where']})", plain(row["paper"]), plain(row["ours"]), row["verdict"]
        )
        table.add_row("", "", "", "")
    counts = ", ".join(f"{count} {TALLY[verdict]}" for verdict, count in tally(made.claims).items())
    summary = new_table("", headings=False)
    summary.add_row(f"Of {len(made.claims)} claims: {counts}.")
    for number, sentence in enumerate(summary_sentences(made.found), start=1):
        summary.add_row(f"{number}. {plain(sentence)}")
    facts = new_table("", "", headings=False)
    kept = [name for name in made.found if name not in made.computed]
    if kept:
        facts.add_row("kept from before", ", ".join(kept))
    facts.add_row("report", printable(str(made.report)))
    show(table, summary, facts)


def energy_shaping(
    samples: Annotated[int, typer.Option(help="Random sections.")] = 1_000_000,
    seed: Annotated[int, typer.Option(help="Of the random numbers.")] = 0,
    sampling: Annotated[str, typer.Option(help="2pi: bends up to 4π/3; 6pi: the paper's bound as printed.")] = "2pi",
    method: Annotated[
        str, typer.Option(help="terms: one by one; kinds: linear, angular; total: all at once, the paper's choice.")
    ] = "terms",
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Write an arm file with the fitted model: .toml.")
    ] = "",
    arm: Annotated[str, typer.Option(help="The arm that is written: a file, or the name of an arm.")] = "prototype",
    as_json: AsJson = False,
) -> None:
    """Fit the energy shaping coefficients β of the paper to random sections.

    Exit codes: 0 done; 2 bad input; 130 interrupted.
    """
    from continuarm.arms.arm_file import load_arm, save_arm
    from continuarm.paper.energy_shaping import fit_energy_shaping

    if output:
        claim(output_path(output, (".toml",)))
    described = load_arm(arm) if output else None
    with progress_bar("fitting") as progress:
        fit = fit_energy_shaping(samples, seed, sampling=sampling, method=method, progress=progress)
    if described is not None:
        save_arm(described.replace(inertia=fit.model), output)
    if as_json:
        show_json(fit.summary() | ({"written": output} if output else {}))
    else:
        _show_fit(fit, sampling, output)


def _show_fit(fit: EnergyShapingFit, sampling: str, written: str) -> None:
    table = new_table("term", "β", "± error", "95 % interval", "correlation", "rms residual")
    for term in fit.terms:
        low, high = term.interval
        table.add_row(
            term.name,
            f"{term.beta:.5g}",
            f"{term.standard_error:.2g}",
            f"{low:.5g} to {high:.5g}",
            f"{term.correlation:.5f}",
            f"{100 * term.rms_residual:.3g} %",
        )
    facts = new_table("", "", headings=False)
    facts.add_row("samples", f"{fit.samples:,} of {one_line(sampling)}, seed {fit.seed}, fitted by {fit.method}")
    facts.add_row("misfit", f"{100 * fit.rms_energy_residual:.4g} % of the energy, rms")
    definite = "positive for every motion" if fit.positive_definite else "negative for some motion of a section"
    facts.add_row("kinetic energy", definite)
    if written:
        facts.add_row("written to", printable(written))
    show(table, facts)
