"""The public quantities, and how they are computed natively.

quantities      what users call; evaluation: natively or by the reference; table: what there is; state_checks
tracing         scalars that record; recorder: a function becomes a step; steps: which functions; printing: as C++
section_numbers, native_arm    sections, muscles, arms and plants as native code holds them
compiled        the compiled module, where it is built; native/: its sources, native/generated: what is printed
"""
