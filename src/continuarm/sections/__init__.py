"""One section: entire functions, kinematics, inertia, springs and stops, the law of a muscle."""
