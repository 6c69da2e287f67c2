"""The public quantities, and how they are computed: tracing, recorded steps, printers, native code."""
