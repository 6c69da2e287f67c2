"""The largest numbers that are taken: far beyond any arm, and short of what floating point cannot square or add."""

LARGEST = 1e12
"""Of forces in N, moments in N m, stiffnesses in N/m, times in s, and readings of sensors in m or rad: what the highest
pressure does on the largest area of muscles."""

HIGHEST_PRESSURE = 1e9
"""Pa."""

LONGEST = 1e3
"""m, of anything on an arm."""
