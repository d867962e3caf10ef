"""Proves on the real compiler, and on a GPU where there is one, what a kernel does and that a fix of it works."""
