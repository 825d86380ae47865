"""econome, the steward of a coding agent's tokens."""

__all__ = ["__version__"]

__version__ = "0.1.0"
