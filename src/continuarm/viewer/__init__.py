"""Motions and live arms in the browser, and the offline player."""
