"""The end of a fit: misfits against noise, and all that is to be said of the arm that was found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.identification.findings import Finding
from continuarm.identification.fitted_parameters import FittedParameter, two_digits
from continuarm.identification.goodness_of_fit import misfits
from continuarm.identification.merged_values import merged_values
from continuarm.identification.misfit_findings import (
    correlation_findings,
    driven_first,
    misfit_findings,
    mount_findings,
    noise_findings,
)
from continuarm.identification.missing_effects import Tried
from continuarm.identification.parameter_covariance import ParameterCovariance
from continuarm.identification.parameter_search import ParameterSearch
from continuarm.identification.recording import Recording
from continuarm.identification.sensor_comparison import SensorComparison, sensor_comparisons
from continuarm.identification.sensor_noise import estimated_noise, given_noise
from continuarm.identification.traded_parameters import traded_in_words

WIDENED = 2.0
"""An error that effects which are left out make so many times larger is told."""
RIG = ("delay", "sensor_frame")
"""What the names of parameters begin with that are none of the arm."""
COMPARABLE = 0.3
"""A shift of so many standard errors, by 1 % of a number that nothing checks, makes that number a condition."""
OTHERS = 2
"""Effects that are named besides the first."""


class EndOfFit:
    """What a search left, sensor by sensor, and what follows from it."""

    def __init__(
        self,
        search: ParameterSearch,
        rows: Sequence[FittedParameter],
        errors: ParameterCovariance,
        correlation: Floats,
        kept_back: Sequence[Recording],
        later: Sequence[SensorComparison],
        tried: Tried,
    ) -> None:
        residuals, arm = search.residuals, search.parameters.start_arm
        self.search, self.rows, self.errors, self.correlation = search, rows, errors, correlation
        self.tried = tried
        self.merged = merged_values(arm, [each.name for each in search.parameters.chosen])
        self.recordings = [*residuals.recordings, *kept_back]
        self.seen = sensor_comparisons(residuals.recordings, residuals.differences(search.x), residuals.used)
        self.later = list(later)
        # recordings that the fit did not see tell the noise as well
        self.noise = estimated_noise([*self.seen, *self.later], self.recordings, arm)
        given, scales = given_noise(self.recordings), _scales(search)
        self.misfit = misfits(self.seen, self.noise, given, scales)
        self.judged = misfits(self.later, self.noise, given, {})

    def findings(self) -> list[Finding]:
        """All sentences, the serious ones of each kind first."""
        arm, every = self.search.parameters.start_arm, [*self.misfit, *self.judged]
        driven = {each.name: driven_first(each, arm) for each in self.recordings}
        names = [row.name for row in self.rows]
        known = [bool(np.isfinite(row.standard_error)) for row in self.rows]
        found = [
            *self._ends(),
            *misfit_findings(every, driven),
            *mount_findings(self.recordings, [*self.seen, *self.later], every, arm),
            *self._effects(),
            *self._correlated(),
            *noise_findings(every),
            *self._assumed(),
            *self._slight(),
            *(Finding(sentence, "note") for sentence in traded_in_words(names, self.correlation, known)),
        ]
        return [*self._merged(any(each.weight == "serious" for each in found)), *found]

    def _merged(self, wrong: bool) -> list[Finding]:
        """Values of the arm that differ and were made one number: the first suspects where something is wrong."""
        return [
            Finding(each.sentence, "serious" if wrong else "warning", f"{each.values}, and one number here")
            for each in self.merged
        ]

    def _ends(self) -> list[Finding]:
        """Parameters at their bounds, runs that the arm cannot follow, a search that did not settle."""
        found = []
        numbers = self.search.parameters.search_numbers
        for k, row in enumerate(self.rows):
            if not row.at_bound:
                continue
            if row.at_bound == "low" and numbers[k].low == 0.0 and numbers[k].scale is not None:
                sentence = f"{row.name} is 0, the least that it can be"
                found.append(Finding(sentence, "note"))
                continue
            end = "upper" if row.at_bound == "high" else "lower"
            found.append(
                Finding(
                    f"{row.name} = {row.value:.4g} {row.unit} is at the {end} end of its bounds, and might lie beyond",
                    "serious",
                    f"{row.name} is at the {end} end of its bounds",
                )
            )
        residuals, x = self.search.residuals, self.search.x
        for one, simulated, own in zip(
            residuals.recordings, residuals.tracks(x), residuals.differences(x), strict=True
        ):
            if own.lost.any():
                why = simulated.stopped or f"it has no equilibrium in row {int(np.argmax(own.lost))}"
                what = f"the fitted arm cannot follow {one.name} to its end"
                found.append(Finding(f"{one.name}: the fitted arm cannot follow it to its end: {why}", "serious", what))
        if not self.search.settled:
            sentence = "the search ended before its numbers settled"
            found.append(Finding(sentence, "serious", sentence))
        return found

    def _within_believed(self) -> bool:
        """Whether nothing is left beyond the steps in which sensors count and the errors of simulations."""
        return all(each.distance <= 1.5 * self.noise[each.sensor].least * each.axes**0.5 for each in self.misfit)

    def _correlated(self) -> list[Finding]:
        labels = self.search.parameters.labels
        enlarged = self.errors.enlarged
        if len(labels) != len(enlarged):  # numbers of the search that are not reported one by one
            labels = [f"number {k + 1}" for k in range(len(enlarged))]
        arm = [not label.startswith(RIG) for label in labels]
        own = {label: float(factor) for label, factor, its in zip(labels, enlarged, arm, strict=True) if its}
        least = {sensor: level.least for sensor, level in self.noise.items()}
        return correlation_findings(self.misfit, self.errors.correlation, own, least)

    def _effects(self) -> list[Finding]:
        """Effects that are left out, and would move parameters by more than their errors."""
        if not self.tried.missing or self._within_believed():
            return []
        first, *others = self.tried.missing
        ones = [f"{each.name} ({each.size})" if each.size else each.name for each in self.tried.missing]
        also = f", or for {' or '.join(ones[1 : 1 + OTHERS])}" if others else ""
        moved = self._moved(first.moved)[1]
        apart = " and ".join(each.apart for each in self.merged)
        before = f"free {apart} first; " if apart else ""
        return [
            Finding(
                f"what is left asks for {ones[0]}, which would explain {100 * first.explained:.0f} % of its square and "
                f"move {moved}{also}: {before}where such an effect is likely, free it, or measure it",
                "serious",
                f"an effect is left out, likely {apart or first.name}",
            )
        ]

    def _assumed(self) -> list[Finding]:
        """Numbers of the arm that nothing checks, and that the fitted ones follow."""
        assumed = self.tried.assumed
        if not assumed:
            return []
        moved = {each.name: self._moved(each.moved) for each in assumed}
        follow = [f"{name} (1 % more moves {words})" for name, (_, words) in moved.items()]
        sentence = f"the intervals take as exact what these recordings do not check: {', '.join(follow)}"
        names = [name for name, (errors, _) in moved.items() if errors >= COMPARABLE]
        condition = f"{' and '.join(names)} {'are' if len(names) > 1 else 'is'} right" if names else ""
        return [Finding(sentence, "note", condition)]

    def _slight(self) -> list[Finding]:
        """The parameter whose error effects that are left out widen most, and the first of these effects."""
        slight, parameters = self.tried.slight, self.search.parameters
        rows = [
            (row.standard_error / row.noise, k, row)
            for k, row in enumerate(self.rows)
            if row.noise > 0 and np.isfinite(row.standard_error) and not row.name.startswith(RIG)
        ]
        if not slight or not rows:
            return []
        factor, number, row = max(rows, key=lambda each: each[0])
        if factor < WIDENED:
            return []
        slope = parameters.reported_jacobian(self.search.x)[number]
        worst = max(slight, key=lambda each: float(slope @ each.moves @ slope))
        noise, whole = (f"{two_digits(size)} {row.unit}" for size in (row.noise, row.standard_error))
        sentence = (
            f"noise alone would leave {row.name} an error of {noise}; effects that are left out and that these "
            f"recordings do not exclude, {worst.name} first of all, make it {whole}: freeing {worst.name} too, or "
            "recording more directions and pressures, makes it smaller"
        )
        return [Finding(sentence, "note")]

    def _moved(self, by: Floats) -> tuple[float, str]:
        """By how many errors an effect would move the parameter of the arm that it moves most; the same in words."""
        parameters, x = self.search.parameters, self.search.x
        now, then = parameters.reported(x), parameters.reported(np.clip(x + by, parameters.lower, parameters.upper))
        pairs = [
            (abs(b.value - a.value) / max(row.standard_error, 1e-300), a, b.value - a.value)
            for a, b, row in zip(now, then, self.rows, strict=True)
            if not a.name.startswith(RIG)
        ]
        errors, number, change = max(pairs, key=lambda pair: pair[0])
        return errors, f"{number.name} by {change:+.3g} {number.unit}, {two_digits(errors)} of its standard errors"


def _scales(search: ParameterSearch) -> dict[tuple[str, str], float]:
    residuals = search.residuals
    return {
        (recording.name, sensor.name): scale
        for recording, scales in zip(residuals.recordings, residuals.scales, strict=True)
        for sensor, scale in zip(recording.sensors, scales, strict=True)
    }
