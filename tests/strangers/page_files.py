"""The files that a page for plugin authors shows, written out as a package."""

import re
from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs" / "plugins"
FILE = re.compile(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def write_package(page: str, folder: Path) -> Path:
    """Write the four files that a page shows into a folder; gives the folder back."""
    files = FILE.findall((PAGES / page).read_text(encoding="utf-8"))
    assert len(files) == 4
    for name, text in files:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder
