"""The report says what was found, escapes everything from the data, needs no network, and works in a real browser."""

import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from rulecg import RuleSetClassifier
from rulecg.analysis.intervals import wilson
from rulecg.commands import cli
from rulecg.model.model_file import save_model, to_model
from rulecg.report import Supplements, build_report
from rulecg.report import build as build_module
from rulecg_core import ConfigurationError, load_registry

from .pages import Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def page(model, table):
    path = pd.DataFrame({"max_complexity": [5.0, 10.0], "accuracy": [0.8, 0.9], "cv_accuracy": [0.79, 0.85]})
    return build_report(model, table, supplements=Supplements(path=path))


def test_it_says_everything_that_people_ask(page, model, table, fitted, lending):
    """Rules, accuracy, certificate, groups, settings: each in its own section, with the true numbers."""
    parsed = Page(page)
    assert {"rules", "accuracy", "certificate", "path", "groups", "card"} <= set(parsed.ids)
    right = int((model.predict(table) == table["approved"]).sum())
    assert f"{right / len(table):.1%}" in parsed.text
    low, high = wilson(right, len(table))
    assert f"{low:.1%} to {high:.1%}" in parsed.text
    assert fitted.result_.certificate() in parsed.text
    assert "These are the rows that the rules were learned from." in parsed.text
    for group in ("female", "male & minority"):
        assert group in parsed.text
    for name in ("equalized odds difference", "Which rule does what to whom", "max complexity"):
        assert name in parsed.text


def test_every_link_leads_somewhere_and_nothing_is_loaded_or_run(page):
    """Links stay inside the page; no scripts, no addresses, and a policy that would forbid them."""
    parsed = Page(page)
    assert all(link.startswith("#") and link[1:] in parsed.ids for link in parsed.links)
    assert len(parsed.ids) == len(set(parsed.ids))
    assert not {"script", "img", "link", "iframe", "object"} & set(parsed.tags)
    assert "http:" not in page
    assert "https:" not in page
    assert "default-src 'none'" in page
    assert not any(name.startswith("on") for name, _ in parsed.attributes)


def test_tables_and_charts_are_labelled_for_those_who_do_not_see_them(page):
    """Scrollable tables can be reached by keyboard; every chart says in words what it shows."""
    parsed = Page(page)
    assert parsed.tags.count("svg") == page.count('role="img"') > 2
    assert page.count('class="scroll" tabindex="0" role="region" aria-label="') == parsed.tags.count("table")
    assert parsed.tags.count("h1") == 1


NASTY = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'; DROP TABLE x; --",
    "a\u202eb",
    "</style>",
    "&lt;",
]


@pytest.fixture(scope="module")
def nasty():
    """A model whose columns, categories, classes and outcome are all hostile."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: rng.choice(NASTY[:3], 200) for name in NASTY})
    target = pd.Series(np.where(table[NASTY[0]] == NASTY[1], NASTY[4], NASTY[0]), name=NASTY[1])
    classifier = RuleSetClassifier(max_complexity=4, time_limit=2.0).fit(
        table, target, sensitive_features=table[[NASTY[3]]]
    )
    return to_model(classifier, data=table, target=NASTY[1] + "y", sensitive=[NASTY[3]]), table.assign(
        **{NASTY[1] + "y": target}
    )


def test_hostile_names_stay_text(nasty):
    """Nothing from the data becomes an element, an attribute or a change of direction."""
    page = build_report(*nasty, title="<b>" + NASTY[0])
    parsed = Page(page)
    assert not {"script", "img"} & set(parsed.tags)
    assert page.count("</style>") == 1
    assert "\u202e" not in page
    assert "<script>alert(1)</script>" in parsed.text


def test_a_huge_number_of_groups_and_long_names_are_bounded(model, table):
    """A column of identifiers taken for a group does not make a page without end."""
    many = table.assign(region=[f"person {k}" * 300 for k in range(len(table))])
    page = build_report(model, many, sensitive=["region"])
    assert "smaller groups are not shown" in page
    assert len(page) < 2_000_000


def test_reports_say_what_they_cannot_show(model, table, monkeypatch):
    """No outcome, no groups, no audits installed, no certificate: one clear line each."""
    assert "nothing can be said about accuracy" in build_report(model, table.drop(columns="approved"))
    assert "No sensitive columns are known" in build_report(model, table, sensitive=[])
    registry = load_registry([])
    monkeypatch.setattr(build_module, "load_registry", lambda: registry)
    assert "no installed plugin offers a table about them" in build_report(model, table)
    with pytest.raises(ConfigurationError, match="Did you mean 'approved'"):
        build_report(model, table, target="aproved")


def test_several_classes_have_a_report_too(fitted_classes, lending):
    """Rules of each class and one confusion table."""
    page = Page(build_report(to_model(fitted_classes, target="home"), lending.data))
    for label in ("owned", "rented", "mortgage"):
        assert f"home is {label}" in page.text
        assert f"recorded: {label}" in page.text


def test_sensitive_columns_in_the_rules_stand_above_everything(model, table):
    """Readers learn it before the first number."""
    column = model.columns[0]
    page = build_report(model, table, sensitive=[column])
    warning = f"The rules decide by a sensitive column: {column}."
    assert 0 < page.index(warning) < page.index('class="cards"')
    assert warning not in build_report(model, table, sensitive=["region"]) or column == "region"


def in_browser(path, profile):
    quiet = ["--disable-quic", "--disable-sync", "--disable-background-networking", "--disable-component-update"]
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--enable-logging=stderr", *quiet]
    command = [CHROMIUM, *flags, f"--user-data-dir={profile}", "--dump-dom", path.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_in_a_real_browser_nothing_runs_nothing_fails_and_all_is_there(nasty, model, table, tmp_path):
    """Chromium builds the page without a console message, and hostile names stay text in its document."""
    for name, text in {"good": build_report(model, table), "nasty": build_report(*nasty)}.items():
        path = tmp_path / f"{name}.html"
        path.write_text(text, encoding="utf-8")
        done = in_browser(path, tmp_path / "profile")
        assert "CONSOLE" not in done.stderr
        parsed = Page(done.stdout)
        assert "script" not in parsed.tags
        assert {"rules", "accuracy", "certificate", "groups", "card"} <= set(parsed.ids)
        if name == "nasty":
            assert "<script>alert(1)</script>" in parsed.text


def test_the_command_writes_the_page(model, table, tmp_path, capsys):
    """``rulecg report model.json loans.csv --out report.html``."""
    save_model(model, tmp_path / "model.json")
    table.to_csv(tmp_path / "loans.csv", index=False)
    out = tmp_path / "report.html"
    assert cli.main(["report", str(tmp_path / "model.json"), str(tmp_path / "loans.csv"), "--out", str(out)]) == 0
    assert "These are the rows that the rules were learned from." in out.read_text()
