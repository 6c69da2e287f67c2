"""The recursions over sections, and the arm with its muscles: pure mathematics in NumPy, which the engine records.

chain           the outward pass that all share
forward, inverse, mass_and_coriolis, energies, poses, linearized, implicit    one quantity, or a few of a kind, each
plant           an arm with muscles and valves: one state, one rate, one step; commands: what drives it
"""
