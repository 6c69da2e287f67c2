"""
An arm that hangs
=================

text
"""

import matplotlib.pyplot as plt
import continuarm as ca

arm = ca.load_arm("prototype")
q = ca.equilibrium(arm)
x, y, z = 1e3 * ca.backbone(arm, q).T
plt.plot(x, z)
