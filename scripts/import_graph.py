"""The import graph of the packages, as a picture for the architecture page.

python -m scripts.import_graph            # writes docs/images/architecture.svg and a table in docs/architecture.md
python -m scripts.import_graph --check    # fails when they are not what the imports say
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
FLOORS = {
    "rulecg_verify": 0,
    "rulecg_core": 0,
    "rulecg_kernels": 4,
    "rulecg_backends": 5,
    "rulecg_pricing": 5,
    "rulecg_search": 5,
    "rulecg_fairness": 5,
    "rulecg_engines": 5,
    "rulecg": 6,
}
ROOMS = {
    "rulecg_core.base": 0,
    "rulecg_core.data": 0,
    "rulecg_core.api": 1,
    "rulecg_core.backend_kit": 1,
    "rulecg_core.plugins": 1,
    "rulecg_core.masters": 2,
    "rulecg_core.generation": 3,
    "rulecg_core.certificates": 3,
    "rulecg_core.proof": 3,
    "rulecg_core.solve": 3,
    "rulecg_core.testing": 3,
}
"""The core's rooms live on floors of their own; its front page shows all of them."""
NAMES = ("data", "interfaces", "masters", "solving", "kernels", "plugins", "people")


def modules(root: Path = ROOT) -> Iterator[str]:
    """Names of all modules of all packages."""
    for package in FLOORS:
        for path in sorted((root / package).rglob("*.py")):
            yield ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def floor_of(module: str) -> int:
    """The floor that a module lives on."""
    room = ".".join(module.split(".")[:2])
    if module == "rulecg_core":
        return 3
    return ROOMS.get(room, FLOORS[module.partition(".")[0]])


@cache
def _known(root: Path) -> frozenset[str]:
    return frozenset(modules(root))


def imports_of(root: Path, module: str, *, names: bool = True) -> set[str]:
    """The modules of ours that a module imports, wherever in the file; those for type checking alone do not count.

    With ``names``, names imported from the core's front page count for the room they come from.
    """
    path = root.joinpath(*module.split("."))
    is_package = path.is_dir()
    tree = ast.parse((path / "__init__.py" if is_package else path.with_suffix(".py")).read_text(encoding="utf-8"))
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = module.split(".") if is_package else module.split(".")[:-1]
                base = ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                if inner in _known(root):
                    found.add(inner)
                elif names and base == "rulecg_core":
                    found.add(_homes(root).get(alias.name, base))
                else:
                    found.add(base)
    return {name for name in found if name.partition(".")[0] in FLOORS and name != module}


@cache
def _homes(root: Path) -> dict[str, str]:
    """Where each name on the core's front page comes from."""
    tree = ast.parse((root / "rulecg_core" / "__init__.py").read_text(encoding="utf-8"))
    return {
        alias.name: f"rulecg_core.{node.module}"
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def room_of(module: str) -> str:
    """The room that a module is drawn in: a package, or a room of the core."""
    room = ".".join(module.split(".")[:2])
    return room if room in ROOMS else module.partition(".")[0]


def edges(root: Path = ROOT) -> dict[tuple[str, str], int]:
    """How many imports lead from each room to each other one."""
    counts: dict[tuple[str, str], int] = {}
    for module in modules(root):
        if module == "rulecg_core":
            continue
        for imported in imports_of(root, module):
            pair = room_of(module), room_of(imported)
            if pair[0] != pair[1] and pair[1] != "rulecg_core":
                counts[pair] = counts.get(pair, 0) + 1
    return counts


def picture(root: Path = ROOT) -> str:
    """The floors with their rooms, and a line for every pair of rooms between which there are imports."""
    rooms = sorted({room for pair in edges(root) for room in pair}, key=lambda room: (-floor_of(room), room))
    rows: dict[int, list[str]] = {}
    for room in rooms:
        rows.setdefault(floor_of(room), []).append(room)
    width, height, gap = 980, 92, 22
    place: dict[str, tuple[float, float]] = {}
    floors, parts = [], []
    for number, floor in enumerate(sorted(rows, reverse=True)):
        top = 16 + number * height
        floors.append(f'<rect class="floor" x="8" y="{top}" width="{width - 16}" height="{height - gap}" rx="8"/>')
        floors.append(f'<text class="name" x="22" y="{top + 40}">{floor} {escape(NAMES[floor])}</text>')
        step = (width - 170) / len(rows[floor])
        for at, room in enumerate(rows[floor]):
            x, y = 150 + at * step + step / 2, top + (height - gap) / 2
            place[room] = x, y
            label = escape(room.removeprefix("rulecg_core.") if room in ROOMS else room)
            box = min(step - 12, 150)
            parts.append(
                f'<rect class="room" x="{x - box / 2:.0f}" y="{y - 17:.0f}" width="{box:.0f}" height="34" rx="6"/>'
            )
            parts.append(f'<text class="label" x="{x:.0f}" y="{y + 5:.0f}">{label}</text>')
    lines = []
    for (source, target), count in sorted(edges(root).items()):
        if floor_of(source) == floor_of(target):
            continue
        (x1, y1), (x2, y2) = place[source], place[target]
        lines.append(
            f'<path class="edge" d="M{x1:.0f} {y1 + 17:.0f} C{x1:.0f} {y1 + 52:.0f} {x2:.0f} {y2 - 52:.0f} '
            f'{x2:.0f} {y2 - 17:.0f}" style="stroke-width:{min(3.0, 0.6 + count / 20):.1f}"/>'
        )
    style = (
        ".floor{fill:#eef3f8;stroke:#b8c6d6}.room{fill:#fff;stroke:#35618f}.name{font:600 13px sans-serif;fill:#35618f}"
        ".label{font:13px sans-serif;text-anchor:middle;fill:#1b2733}.edge{fill:none;stroke:#7c93ab;opacity:.55}"
        "@media(prefers-color-scheme:dark){.floor{fill:#1d2630;stroke:#3a4b5c}.room{fill:#0f151b;stroke:#7fb0e0}"
        ".name{fill:#9cc4ec}.label{fill:#e6edf3}.edge{stroke:#8aa2ba}}"
    )
    total = 16 + len(rows) * height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total}" role="img" '
        f'aria-label="Floors and rooms of rulecg, drawn from its imports"><style>{style}</style>'
        + "".join([*floors, *lines, *parts])
        + "</svg>\n"
    )


def table(root: Path = ROOT) -> str:
    """For every room, its floor and the rooms it imports."""
    found = edges(root)
    rooms = sorted({room for pair in found for room in pair}, key=lambda room: (-floor_of(room), room))
    lines = ["| floor | room | imports |", "|---|---|---|"]
    for room in rooms:
        targets = ", ".join(f"`{target}`" for source, target in sorted(found) if source == room)
        lines.append(f"| {floor_of(room)} {NAMES[floor_of(room)]} | `{room}` | {targets or 'nothing of ours'} |")
    return "\n".join(lines)


PICTURE, PAGE = Path("docs/images/architecture.svg"), Path("docs/architecture.md")
BEGIN, END = "<!-- imports: begin -->", "<!-- imports: end -->"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 when something is stale")
    arguments = parser.parse_args()
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    wanted = {PICTURE: picture(), PAGE: f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"}
    stale = [
        path for path, text in wanted.items() if not (ROOT / path).exists() or (ROOT / path).read_text("utf-8") != text
    ]
    if arguments.check:
        for path in stale:
            print(f"{path} is not what the imports say: run python -m scripts.import_graph")
        return 1 if stale else 0
    for path in stale:
        (ROOT / path).write_text(wanted[path], encoding="utf-8")
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
