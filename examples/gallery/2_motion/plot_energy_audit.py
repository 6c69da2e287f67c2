"""
Where the work goes
===================

An audit: what the pressures supplied is stored in motion, height and springs, or was taken by the dampers. What is
missing is within the tolerance of the solver; the lower panel shows it in millionths.
"""

import matplotlib.pyplot as plt

import continuarm as ca

arm = ca.load_arm("prototype")
steps = ca.PressureSteps({"l33": [(0.5, 600e3)], "l22": [(2.0, 500e3)]})
motion = ca.simulate(arm, steps, duration=4, start="equilibrium")
stored = sum(motion.energies[name] - motion.energies[name][0] for name in ("kinetic", "gravitational", "elastic"))
missing = motion.supplied - motion.dissipated - stored

figure, (balance, rest) = plt.subplots(2, 1, figsize=(7.2, 5.0), sharex=True, height_ratios=(3, 1))
balance.fill_between(motion.t, stored, color="#9ecae1", label="stored")
balance.fill_between(motion.t, stored, stored + motion.dissipated, color="#fdd0a2", label="dissipated")
balance.plot(motion.t, motion.supplied, "k-", label="supplied")
balance.set(ylabel="energy, J", ylim=(0, None))
balance.legend(loc="upper left")
rest.plot(motion.t, 1e6 * missing)
rest.set(xlabel="time, s", ylabel="missing, µJ")
plt.show()
