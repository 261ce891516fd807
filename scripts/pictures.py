"""Draw the pictures of the first page of the site by running examples: ``python -m scripts.pictures``."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURES = {"rules_on_a_plane": "rules-on-a-plane.png", "what_is_proven": "what-is-proven.png"}
"""Examples, and where the first figure of each goes."""


def main() -> None:
    """Run each example and keep its first figure."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    for example, picture in PICTURES.items():
        plt.show = lambda: None
        runpy.run_path(str(ROOT / "examples" / f"{example}.py"))
        plt.figure(1).savefig(ROOT / "docs" / "images" / picture, dpi=110, facecolor="white")
        plt.close("all")
        print(picture)


if __name__ == "__main__":
    main()
