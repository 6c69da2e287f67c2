"""What type checkers must refuse: an error on each line that ends in `# wrong`, and on no other. Read, never run."""

from typing import assert_type

import numpy as np

import continuarm as ca

arm = ca.load_arm("prototype")
q = np.zeros(9)
motion = ca.simulate(arm, duration=1.0)

ca.Section(length=0.15, radius=0.01, mass=0.1, stiffness=1700, dampin=110)  # wrong
ca.Section(length=0.15, radius=0.01, mass=0.1)  # wrong
ca.Section(0.15, radius=0.01, mass=0.1, stiffness=1700)  # wrong
ca.Section(length="0.15", radius=0.01, mass=0.1, stiffness=1700)  # wrong
ca.Section(length=0.15, radius=0.01, mass=0.1, stiffness=None)  # wrong
ca.Muscles(angles=0.0, radii=[0.01, 0.01, 0.01])  # wrong
ca.Arm(sections=arm.sections[0])  # wrong
ca.Arm(sections=["prototype"])  # wrong
ca.Arm(sections=arm.sections, inertia="integral")  # wrong
ca.Arm(sections=arm.sections, payload=0.05)  # wrong
ca.Payload(mass=0.05, ofset=(0, 0, 0))  # wrong
ca.CentreOfGravity(beta_linear=1.3)  # wrong
ca.PointMass(mass=1.0)  # wrong
arm.name = "other"  # wrong
arm.sections[0].length = 0.2  # wrong
print(arm.lenght)  # wrong
print(arm.sections[0].lenght)  # wrong
motion.q = q  # wrong

ca.forward_dynamics(arm, q, q)  # wrong
ca.forward_dynamics(q, q, q, arm)  # wrong
ca.forward_dynamics("prototype", q, q, q)  # wrong
ca.forward_dynamics(arm, q, q, q, engine="numpy")  # wrong
ca.forward_dynamics(arm, q, q, q, threads="all")  # wrong
ca.mass_matrix(arm, q, q)  # wrong
ca.mass_matrix(arm, None)  # wrong
ca.backbone(arm, q, points=0.5)  # wrong
assert_type(ca.linearization(arm, q, q, q), np.ndarray)  # wrong
ca.massmatrix(arm, q)  # wrong

ca.simulate(arm)  # wrong
ca.simulate(arm, duration="1 s")  # wrong
ca.simulate(arm, {"l33": [(0, 600)]}, duration=1.0)  # wrong
ca.simulate(arm, duration=1.0, solver="Adaptive")  # wrong
ca.simulate(arm, duration=1.0, start="rest")  # wrong
ca.PressureSteps({"l33": 600})  # wrong
ca.Controller(lambda q: q, rate=100)  # wrong
ca.Controller(lambda t, q, qd: q, rate=100, gives="force")  # wrong
print(motion.tip)  # wrong
motion.view(blocks=False)  # wrong

ca.identify(arm, "run.csv", "stiffness")  # wrong
ca.identify(arm, [], ["stiffness", 3])  # wrong
ca.Recording("run", None, q, [q])  # wrong
ca.Recording("run", None, q, [], start="rest")  # wrong
ca.read_recording("run.csv")  # wrong
ca.Free("mass", bounds=0.1)  # wrong
