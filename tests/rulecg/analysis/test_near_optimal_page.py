"""The page of near-optimal rule sets: it loads nothing, runs only its own script, and that works in a browser."""

import shutil
import subprocess

import pandas as pd
import pytest

from rulecg import RuleSetClassifier, near_optimal
from rulecg.analysis.near_optimal_page import build_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def found():
    rows = pd.DataFrame({"</script><b>": [1, 2, 3, 4] * 10, "z": [0, 1, 0, 1] * 10, "w": [0, 0, 1, 1] * 10})
    y = rows["z"] == 1
    classifier = RuleSetClassifier(4, binarizer="deciles").fit(rows, y)
    return near_optimal(classifier, rows, y, within_errors=10, sensitive_features=rows["w"])


def test_it_loads_nothing_and_no_name_can_end_its_script(found):
    """The policy forbids everything but the script with its hash, and names of columns stay text."""
    page = build_page(found)
    assert "default-src 'none'" in page
    assert "script-src 'sha256-" in page
    assert page.count("</script>") == 2
    assert "<b></b>" not in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.skipif(CHROMIUM is None, reason="no browser is installed")
def test_a_browser_lists_and_draws_every_rule_set(found, tmp_path):
    """In a real browser the script runs under the page's own policy: it counts and draws all rule sets."""
    path = tmp_path / "page.html"
    path.write_text(build_page(found), encoding="utf-8")
    shown = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", path.as_uri()],
        capture_output=True, text=True, timeout=60, check=True,
    ).stdout  # fmt: skip
    assert f"{len(found)} of {len(found)} rule sets" in shown
    assert shown.count("<circle") == len(found)
