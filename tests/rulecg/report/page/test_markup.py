"""Text cannot become markup, and numbers are written for people."""

import pandas as pd

from rulecg.report import build_report
from rulecg.report.page.markup import element


def test_large_numbers_are_written_for_people(model, table):
    """From ten thousand on with commas, nowhere with an escape."""
    many = pd.concat([table] * 20, ignore_index=True)
    page = build_report(model, many)
    assert "12,000 rows" in page
    assert "\\u" not in page


def test_attributes_and_children_are_escaped():
    """The builder itself leaves no way to inject markup."""
    assert element("p", "<b>", title='"x"') == '<p title="&#34;x&#34;">&lt;b&gt;</p>'
