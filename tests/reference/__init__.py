"""A second opinion: the spec read literally, slowly, and without the product's code."""
