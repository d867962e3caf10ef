"""tl-lint: finds the mistakes in TileLang kernels before the compiler does, and repairs them."""

__all__ = ["__version__"]

__version__ = "0.1.0"
