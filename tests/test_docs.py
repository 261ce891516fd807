"""Every Python code block in the README and the docs runs as it stands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs").glob("*/*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WITH_CODE = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_blocks_run_in_order(page, tmp_path, monkeypatch):
    """The blocks of one page run one after the other in one namespace."""
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "docs"}
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        exec(compile(block, str(page), "exec"), namespace)


def test_readme_shows_both_ways_in():
    """The README has the estimator, a fairness bound and the composition by hand."""
    assert len(BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))) == 3


def test_links_between_pages_lead_somewhere():
    """Relative links in the README and the docs name files that exist."""
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_site_has_every_page_and_no_broken_link(tmp_path):
    """``make docs`` builds without a warning, and its menu names every page."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in PAGES[1:]:
        assert str(page.relative_to(ROOT / "docs")) in menu, f"{page.name} is not in the menu of mkdocs.yml"
