"""Parameters of an arm from measured motion: first those that resting shapes show, then those of motion, then all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from continuarm.arms.arm import Arm, require_arm
from continuarm.common.argument_checks import listed, require_function, truth_value
from continuarm.common.interruption import Interruption, deferred_interruption
from continuarm.common.number_checks import seed_number, whole_number
from continuarm.engine.compiled import PROCESSORS
from continuarm.identification.end_of_fit import EndOfFit
from continuarm.identification.findings import Finding, verdict
from continuarm.identification.fitted_parameters import fitted_parameters, provenance
from continuarm.identification.fitted_rig import with_rig
from continuarm.identification.free_parameters import free_parameters
from continuarm.identification.goodness_of_fit import FAR_ABOVE, misfits
from continuarm.identification.missing_effects import Tried, missing_effects
from continuarm.identification.parameter_covariance import parameter_covariance, unknown_covariance
from continuarm.identification.parameter_search import ParameterSearch
from continuarm.identification.recorded_commands import recorded_commands
from continuarm.identification.recording import Recording
from continuarm.identification.recording_checks import check_pressures, checked_recording
from continuarm.identification.residual_function import ResidualFunction
from continuarm.identification.residual_slopes import residual_slopes
from continuarm.identification.result import Identification
from continuarm.identification.search_numbers import Free
from continuarm.identification.sensor_comparison import SensorComparison, differences, sensor_comparisons
from continuarm.identification.sensor_frame_and_delay import best_delay
from continuarm.identification.sensor_noise import estimated_noise, given_noise
from continuarm.identification.simulated_tracks import said_of_start, simulated_track
from continuarm.identification.slight_effects import could_move
from continuarm.identification.undetermined_parameters import undetermined_in_words

__all__ = ["identify"]

MORE_STARTS = 4
"""How often the search begins anew, elsewhere, where its first end is far above the noise."""


def identify(
    arm: Arm,
    recordings: Recording | Sequence[Recording],
    free: str | Iterable[str | Free],
    *,
    held_out: Sequence[Recording] = (),
    delay: bool = True,
    starts: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[float, str], object] | None = None,
) -> Identification:
    """The arm whose motion comes nearest to recordings, with errors.

    Ctrl-C ends the search: the best so far is returned, with errors, and says so; a second Ctrl-C ends it all at once.

    Parameters
    ----------
    arm : Arm
        Where the search begins; everything that is not free stays as it is.
    recordings : Recording or sequence of Recording
    free : str or iterable of str or Free
        Names of parameters, see `Free`; text may name several with commas between them.
    held_out : sequence of Recording, optional
        Recordings that the fit does not see; how well it meets them is reported.
    delay : bool, optional
        Whether each recording may be early or late by up to 2 s, which is fitted with the rest.
    starts : int, optional
        From how many places, drawn with the seed, to search; if left out one, or five if that ends far from the noise.
    seed : int, optional
        Of the places.
    threads : int, optional
        How many simulations run together; all processors if left out.
    progress : callable, optional
        Called with the share done and words about the current misfit.

    Returns
    -------
    Identification

    Raises
    ------
    ValueError
        For recordings that cannot be of this arm, with the likely cause.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> truth = arm.replace(sections=[section.replace(stiffness=1500.0) for section in arm.sections])
    >>> camera = ca.TipPosition(3, np.zeros((61, 3)))
    >>> run = ca.Recording("run", ca.PressureSteps({"l33": [(0.5, 500e3)]}), np.arange(61) / 20, [camera])
    >>> found = ca.identify(arm, ca.simulated_recording(truth, run), "stiffness", delay=False)
    >>> fitted = found["stiffness"]
    >>> bool(abs(fitted.value - 1500) < 4 * fitted.standard_error), found.serious
    (True, False)
    """
    with deferred_interruption() as interruption:
        return _identified(interruption, arm, recordings, free, held_out, delay, starts, seed, threads, progress)


def _identified(
    interruption: Interruption,
    arm: Arm,
    recordings: Recording | Sequence[Recording],
    free: str | Iterable[str | Free],
    held_out: Sequence[Recording],
    delay: bool,
    starts: int | None,
    seed: int,
    threads: int | None,
    progress: Callable[[float, str], object] | None,
) -> Identification:
    began = time.perf_counter()
    require_arm(arm)
    runs = listed("recordings", recordings, Recording, "a Recording (see read_recording)")
    later = listed("held_out", held_out, Recording, "a Recording (see read_recording)")
    _check_names(runs, later)
    seed, delay = seed_number("seed", seed), truth_value("delay", delay)
    require_function("progress", progress)
    if starts is not None:
        whole_number("starts", starts, least=1)
    if all(section.muscle_area for section in arm.sections):  # which may be free
        for each in (*runs, *later):
            check_pressures(each, arm)
    parameters = free_parameters(arm, free, runs, delay=delay)
    moved_frame = parameters.is_free("sensor_frame")
    checked = [checked_recording(each, parameters.start_arm, moved_frame) for each in [*runs, *later]]
    warnings = [sentence for _, sentences in checked for sentence in sentences]
    runs, kept_back = [run for run, _ in checked][: len(runs)], [run for run, _ in checked][len(runs) :]

    with ThreadPoolExecutor(PROCESSORS if threads is None else whole_number("threads", threads, least=1)) as pool:
        residuals = ResidualFunction(parameters, runs, pool, interruption)
        search = ParameterSearch(residuals, progress or (lambda share, words: None))
        if search.residuals.count < len(parameters):
            counts = f"{search.residuals.count} measured numbers for {len(parameters)} parameters"
            raise ValueError(f"recordings hold {counts}: must hold at least as many")
        with interruption.ends():
            search.in_stages()
            extra = (MORE_STARTS if _far_above_noise(search) else 0) if starts is None else starts - 1
            search.from_other_starts(extra, np.random.default_rng(seed))
        missing = []
        if interruption.accepted:
            here = "the numbers that it began with" if np.array_equal(search.x, parameters.start) else "the best so far"
            missing.append(f"the search was interrupted: these are {here}")
        found = _result(search, kept_back, delay, missing, warnings)
    record = {
        "evaluations": search.residuals.evaluations,
        "samples": search.residuals.count,
        "starts": search.starts,
        "seed": seed,
        "settled": search.settled,
        "wall_time": time.perf_counter() - began,
    }
    return replace(found, record=record)


def _check_names(runs: Sequence[Recording], held_out: Sequence[Recording]) -> None:
    if not runs:
        raise ValueError("recordings: must be at least one")
    names = []
    for each in (*runs, *held_out):
        if each.name in names:
            raise ValueError(f"two recordings are called {each.name!r}: each must have a name of its own")
        names.append(each.name)


def _far_above_noise(search: ParameterSearch) -> bool:
    residuals = search.residuals
    seen = sensor_comparisons(residuals.recordings, residuals.differences(search.x), residuals.used)
    noise = estimated_noise(seen, residuals.recordings, search.parameters.start_arm)
    return any(each.multiple > FAR_ABOVE for each in misfits(seen, noise, given_noise(residuals.recordings), {}))


def _result(
    search: ParameterSearch, kept_back: Sequence[Recording], delay: bool, missing: list[str], warnings: list[str]
) -> Identification:
    """Errors, misfits and words at the end of a search; of what Ctrl-C ends, a sentence in `missing` instead."""
    residuals, parameters, x = search.residuals, search.parameters, search.x
    interruption = residuals.interruption
    errors = unknown = unknown_covariance(len(x), residuals.count)
    tried = untried = Tried([], [], [])
    with interruption.ends():
        search.tell(0.9, "errors of the parameters")
        if interruption.accepted:  # the search may have had no time for it
            residuals.estimate_scales(x)
        slopes = residual_slopes(residuals, x, fine=True)
        errors = parameter_covariance(residuals(x), slopes, residuals.channel_rows())
        tried = missing_effects(residuals, x, slopes, errors.covariance)
    if errors is unknown:
        missing.append("the errors of the parameters are unknown: their computation was interrupted")
    elif tried is untried:
        missing.append("whether an effect is left out is unknown: interrupted")
    rows, correlation, of_noise = fitted_parameters(parameters, x, errors, could_move(tried.slight, len(x)))
    words = (undetermined_in_words(each, parameters.labels, parameters.logarithmic) for each in errors.undetermined)
    unseen = tuple(dict.fromkeys(words))
    fitted = parameters.arm(x)
    later: list[SensorComparison] = []
    with interruption.ends():
        for each in kept_back:
            later += _held_out(each, search, fitted, delay)
    seen_later = {sensor.recording for sensor in later}
    unjudged = [each.name for each in kept_back if each.name not in seen_later]
    missing += [f"the arm is not judged by {name}: interrupted" for name in unjudged]
    judging = [each for each in kept_back if each.name in seen_later]
    end = EndOfFit(search, rows, errors, of_noise, judging, later, tried)
    with interruption.ends():
        search.tell(1.0, "done")
    late = ["interrupted when all was computed: nothing is missing"] if interruption.accepted and not missing else []
    findings = [Finding(each, "serious", each) for each in missing]
    findings += [Finding(each) for each in (*late, *warnings)]
    final = with_rig(fitted, parameters.frame(x), parameters.delays(x))
    starts = (said_of_start(final, each) for each in (*residuals.recordings, *kept_back))
    findings += [Finding(each, "warning", "a recording does not begin at rest") for each in starts if each is not None]
    findings += [*end.findings(), *(Finding(each) for each in search.stuck_warnings)]
    judgement = verdict(findings, unseen)
    source = provenance([each.name for each in residuals.recordings], rows)
    caution = f"{judgement}." if judgement.startswith("NOT") else ""
    description = " ".join(filter(None, [caution, fitted.description, source]))
    given = given_noise(residuals.recordings)
    return Identification(
        arm=final.replace(description=description),
        parameters=tuple(rows),
        correlation=correlation,
        undetermined=unseen,
        misfit=tuple(end.misfit),
        held_out=tuple(end.judged),
        noise={sensor: level.sigma for sensor, level in end.noise.items()}
        | {sensor: sigma for (_, sensor), sigma in given.items()},
        findings=tuple(findings),
        interrupted=interruption.accepted,
        record={},
        comparisons=(*end.seen, *later),
        commands=tuple(recorded_commands(each, fitted) for each in (*residuals.recordings, *kept_back)),
    )


def _held_out(recording: Recording, search: ParameterSearch, fitted: Arm, delay: bool) -> list[SensorComparison]:
    """A recording that the fit did not see, with the delay that suits it best."""
    simulated = simulated_track(fitted, recording, check=search.residuals.interruption.check)
    frame = search.parameters.frame(search.x)
    own = differences(recording, simulated, best_delay(recording, simulated, frame) if delay else 0.0, frame)
    used = [np.isfinite(sensor.values) for sensor in recording.sensors]
    return sensor_comparisons([recording], [own], [used], held_out=True)
