"""A server that uses the library, over standard input and output: the cart of the library's own tests, in one tool."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.lean.library import shop  # found once the path is there

if __name__ == "__main__":
    shop(menu="grouped")[0].run()
