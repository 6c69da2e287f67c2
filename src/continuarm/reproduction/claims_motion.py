"""What the paper claims of shapes, speed and experiments, answered by the findings."""

from __future__ import annotations

from continuarm.reproduction.number_text import digits, seconds
from continuarm.reproduction.study import Findings
from continuarm.reproduction.verdicts import AGREES, DIFFERS, IN_PART, OPEN, Answer

# ---- Kinematics -----------------------------------------------------------------------------------------------------


def unstable(found: Findings) -> Answer:
    """Curve parameters near the straight section."""
    lost, own = found.numbers["lost_at"], found.numbers["own_largest"]
    measured = (
        f"No digit right below φ = {digits(lost['tip position'], 2)} rad for the tip, already below "
        f"{digits(lost['inertia integral'], 2)} rad for an integral of the kinetic energy; not a number at φ = 0. "
        f"Entire functions of φ² keep all digits (largest relative error {digits(max(own.values()), 2)})."
    )
    fails = min(lost.values()) > 0
    why = "1 − cos φ and its like cancel; dynamics suffers long before kinematics."
    return Answer(measured, AGREES if fails else DIFFERS, why)


def modal(found: Findings) -> Answer:
    """The truncated modal form."""
    at = found.numbers["at"]
    values = {order: at[order]["4π/3"] for order in ("13", "15")}
    far = at["13"]["4π"]
    measured = (
        f"At φ = 4π/3: position {digits(100 * values['13'][0], 2)} % of the length and rotation "
        f"{digits(values['13'][1], 2)} with order 13, {digits(100 * values['15'][0], 2)} % and "
        f"{digits(values['15'][1], 2)} with order 15. At 4π, which the printed bound allows: {digits(100 * far[0], 2)} "
        f"%."
    )
    return Answer(measured, IN_PART, "Good up to 4π/3, useless beyond a full turn. Nothing needs to be truncated.")


# ---- Speed ----------------------------------------------------------------------------------------------------------


def _exponent(found: Findings, name: str) -> str:
    fits = found.times["exponents"].get(name, [])
    return ", ".join(f"{digits(each['exponent'], 2)} (n = {each['from']} to {each['to']})" for each in fits) or "–"


def complexity(found: Findings) -> Answer:
    """Exponents of the time."""
    measured = (
        f"Algorithm 1 forms {found.numbers['derivatives_formed']['10']:,} derivatives M_{{i,h}} for 10 sections, "
        f"{found.numbers['derivatives_formed']['100']:,} for 100. In NumPy, exponents of the time: centre of gravity "
        f"{_exponent(found, 'Algorithm 1, centre of gravity')}; integral {_exponent(found, 'Algorithm 1, integral')}. "
        f"The O(n) recursion of this library, exact integral model: {_exponent(found, 'O(n) engine, integral')}."
    )
    why = (
        "Times over so few sections do not settle the powers: calls of NumPy still weigh, and exponents change by "
        "some tenths from run to run. The claimed ones cannot hold for long arms: all M_{,h} are 27 n³ numbers, to "
        "which each section adds, so that the arithmetic grows with n³ at least, with n⁴ as written. The exact "
        "integral model needs only O(n)."
    )
    return Answer(measured, IN_PART, why)


def gain(found: Findings) -> Answer:
    """Integral against centre of gravity."""
    gain = found.times["gain"]
    last = max(gain, key=int, default="1")
    shown = [n for n in dict.fromkeys(("1", "3", "10", last)) if n in gain]
    measured = "Integral over centre of gravity, Algorithm 1: " + ", ".join(
        f"{digits(gain[n], 2)} (n = {n})" for n in shown
    )
    why = "Seen here as well. It is a property of that algorithm: in O(n) form both models cost the same."
    grows = bool(gain) and gain[last] > gain["1"]
    return Answer(f"{measured}.", AGREES if grows else DIFFERS, why)


def rate(found: Findings) -> Answer:
    """Evaluations a second."""
    rates = found.times["rates"]
    native, call = rates.get("native loop, integral"), rates["call from Python, integral"]
    numpy_time = rates["Algorithm 1 in NumPy, centre of gravity"]
    loop = f"{digits(1e-6 / native)} MHz in the native loop" if native else "native code not built"
    measured = (
        f"Exact integral model: {loop}, {digits(1e-3 / call)} kHz per call from Python. Algorithm 1 in NumPy: "
        f"{digits(1e-3 / numpy_time, 2)} kHz ({seconds(numpy_time)})."
    )
    reached = 1 / min(native or call, call) > 9500
    why = (
        "Easily reached, but by another algorithm, on another machine and in another language; the paper's own in "
        "NumPy does not reach it."
    )
    both = reached and 1 / numpy_time > 9500
    return Answer(measured, AGREES if both else IN_PART if reached else DIFFERS, why)


def real_time(found: Findings) -> Answer:
    """Simulation against real time."""
    sentences = []
    for number, each in found.times.items():
        compiled, cvode = (each["factor"][f"centre of gravity, {solver}"] for solver in ("compiled", "CVODE"))
        sentences.append(
            f"experiment {number}: {digits(compiled)} (compiled), {digits(cvode)} (CVODE); paper {each['paper_factor']}"
        )
    reached = all(each["factor"]["centre of gravity, CVODE"] > each["paper_factor"] for each in found.times.values())
    why = "Exceeded, on another machine. 7.9 s in 1.3 s, as printed for experiment 3, are 6.1 times real time, not 7.3."
    return Answer("; ".join(sentences) + ".", AGREES if reached else DIFFERS, why)


LARGE = 0.01
"""Of the arm's length: what is not negligible."""


# ---- Experiments ----------------------------------------------------------------------------------------------------


def _tips(found: Findings, kind: str) -> str:
    each = found.numbers["experiments"].items()
    return ", ".join(f"{digits(max(one['fitted'][kind]), 2)} mm (exp. {number})" for number, one in each)


def negligible(found: Findings) -> Answer:
    """How far apart the models are."""
    dampings = found.numbers["largest_by_damping_mm"]
    least = min(dampings, key=float)
    largest, assumed = max(dampings[least]), found.numbers["assumed_damping"]
    length = found.numbers["arm_length_mm"]
    measured = (
        f"Largest distance of the tips, fitted β: {_tips(found, 'largest_mm')}. With a damping of {least} N s/m "
        f"instead of the assumed {assumed}: up to {digits(largest, 2)} mm."
    )
    why = (
        f"Simulated on the assumed prototype, {length:.0f} mm long. Small with strong damping, which hides the "
        "difference in accelerations; not negligible with the least damping of the literature. The paper does not "
        "print its own."
    )
    large = LARGE * length
    differs = max(dampings[assumed]) > large
    return Answer(measured, DIFFERS if differs else IN_PART if largest > large else AGREES, why)


def steady(found: Findings) -> Answer:
    """How far apart they are at rest."""
    window = found.numbers["steady_seconds"]
    measured = f"Largest distance in the last {window} s before each step and the end: {_tips(found, 'steady_mm')}."
    each = [one["fitted"] for one in found.numbers["experiments"].values()]
    smaller = all(max(one["steady_mm"]) < max(one["transient_mm"]) for one in each)
    why = (
        "Equilibria are the same by theory, as inertia has no part in them; what is left is swinging not yet died out."
    )
    return Answer(measured, AGREES if smaller else DIFFERS, why)


def plane(found: Findings) -> Answer:
    """Experiment 1 in its plane."""
    off = found.numbers["experiments"]["1"]["largest_y_mm"]
    why = "The twist of π/3 between sections was inferred from this sentence: a consistency check, not evidence."
    return Answer(f"Largest |y| of any tip {digits(off, 2)} mm.", AGREES if off < 1e-3 else DIFFERS, why)


def passive(found: Findings) -> Answer:
    """The base section of experiment 2."""
    base = found.numbers["experiments"]["2"]["base_tip_sideways_mm"]
    exact, shaped = (digits(base[model], 4) for model in ("integral", "centre-of-gravity"))
    measured = f"Its tip leaves the axis by up to {exact} mm (integral), {shaped} mm (centre of gravity)."
    return Answer(measured, AGREES if min(base.values()) > 1 else DIFFERS, "Simulated; both models show it alike.")


def measurements(found: Findings) -> Answer:
    """What was measured on the real arm."""
    why = (
        "The measured trajectories, K_{e} and D are not public. Everything about the experiments here is simulated "
        "from assumed parameters."
    )
    return Answer("–", OPEN, why)
