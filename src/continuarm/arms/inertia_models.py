"""The inertia models: how a section's mass is modelled, exactly or as the paper proposes.

A new model is a class here and in InertiaModel, and its twelve coefficient functions in sections/inertia.py. Unless it
is a centre-of-gravity model with other β, it is also an entry of MODELS in engine/steps.py, with its branch in
engine/section_numbers.py and native/drivers.hpp. paper/algorithm1.py computes it a second time, for the tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from continuarm.arms.description import Description, FieldError
from continuarm.arms.field_types import Numbers, Shaping, Three


class Integral(Description):
    """The exact kinetic energy: thin discs integrated along the section (eqs. 17 Kwi, 19 Kvi).

    Examples
    --------
    >>> ca.load_arm("prototype").inertia == ca.Integral()
    True
    """

    model: Literal["integral"] = "integral"


class CentreOfGravity(Description):
    """The paper's proposal: one disc at the centre of gravity, energies shaped by β (eqs. 18 Kwi_c, 20 Kvi_c).

    The defaults are what fit_energy_shaping finds with 10⁶ random sections, to the three places that another seed
    leaves within one unit. The small-bend limits are (4/3, 3/2, 9/5) and (1, 1, 4/3): with them the bending energy is
    exact near the straight arm, and stretching, whose own limit is 4/3, a third too heavy.

    Examples
    --------
    >>> arm = ca.load_arm("prototype").replace(inertia=ca.CentreOfGravity())
    >>> arm.inertia.beta_linear
    (1.345, 1.503, 1.744)
    """

    model: Literal["centre-of-gravity"] = "centre-of-gravity"
    beta_linear: Annotated[tuple[Shaping, Shaping, Shaping], Three] = Field(
        (1.345, 1.503, 1.744), description="β^υ: base, cross and own term of the linear energy"
    )
    beta_angular: Annotated[tuple[Shaping, Shaping, Shaping], Three] = Field(
        (1.047, 1.085, 1.412), description="β^ω: base, cross and own term of the angular energy"
    )
    allow_indefinite: bool = Field(
        False,
        strict=True,
        description="take coefficients for which some motion of a section has negative energy, as published ones",
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            model: Literal["centre-of-gravity"] = ...,
            beta_linear: Numbers = ...,
            beta_angular: Numbers = ...,
            allow_indefinite: bool = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _energy_is_positive(self) -> Self:
        if self.allow_indefinite:
            return self
        base, cross, own = self.beta_linear
        if base < 1 or own < 1 or (cross - 1) ** 2 > (base - 1) * (own - 1) * (1 + 1e-12):
            raise FieldError(
                "beta_linear",
                self.beta_linear,
                "makes the mass matrix indefinite: β1 and β3 must be at least 1 and (β2 - 1)² at most (β1 - 1)(β3 - 1)",
            )
        base, cross, own = self.beta_angular
        if base < 0 or own < 0 or cross**2 > base * own * (1 + 1e-12):
            raise FieldError(
                "beta_angular",
                self.beta_angular,
                "makes the mass matrix indefinite: β1 and β3 must be at least 0 and β2² at most β1 β3",
            )
        return self


SMALL_BENDS = CentreOfGravity(beta_linear=(4 / 3, 3 / 2, 9 / 5), beta_angular=(1.0, 1.0, 4 / 3))
"""The limits of β as a section that bends and does not stretch becomes straight."""

UNSHAPED = CentreOfGravity(beta_linear=(1.0, 1.0, 1.0), beta_angular=(1.0, 1.0, 1.0))
"""One disc at the centre of gravity, with no more than its own energy."""


class PointMass(Description):
    """All mass in one point at the centre of gravity, no rotary inertia, no shaping (section II-D).

    For comparison only: a section that spins about its own axis has no energy, and the mass matrix
    becomes singular as a section closes to a full turn. Close to it, accelerations are huge and have few true digits:
    numpy.linalg.cond(mass_matrix(arm, q)) tells how many are lost.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> bent = np.linspace(0.0, 0.03, 9)
    >>> for inertia in (ca.Integral(), ca.PointMass()):
    ...     print(inertia.model, f"{np.linalg.cond(ca.mass_matrix(arm.replace(inertia=inertia), bent)):.0f}")
    integral 21047
    point-mass 273670
    """

    model: Literal["point-mass"] = "point-mass"


InertiaModel = Annotated[Integral | CentreOfGravity | PointMass, Field(discriminator="model")]
