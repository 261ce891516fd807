"""Statements about a model are shown as they were made."""

import pytest

from rulecg.report import Supplements, build_report, read_metadata
from rulecg_core import ConfigurationError

from .pages import Page


def test_statements_come_from_a_metadata_file(model, table, tmp_path):
    """Purpose, provider, dates and changes are shown; what is not stated is said; unknown names are refused."""
    about = tmp_path / "about.toml"
    about.write_text(
        'purpose = "Decide <who> is called back."\nprovider = "A bank"\n[dates]\nlearned = 2024-05-01\n'
        '[[changes]]\ndate = 2024-06-01\nversion = "2"\ntext = "Learned again"\n'
    )
    parsed = Page(build_report(model, table, supplements=Supplements(metadata=read_metadata(about))))
    for words in ("Decide <who> is called back.", "A bank", "2024-05-01", "Learned again", "Not stated:", "oversight"):
        assert words in parsed.text
    about.write_text('purpos = "x"\n')
    with pytest.raises(ConfigurationError, match="Did you mean 'purpose'"):
        read_metadata(about)
