"""The paper reproduced: every claim computed again, and the report."""
