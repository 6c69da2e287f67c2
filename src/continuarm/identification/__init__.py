"""An arm from its recordings: sensors, free parameters, the fit, its uncertainty and its report."""
