"""The maker of the demo tree."""
