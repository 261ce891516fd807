"""Charts have readable axes."""

from rulecg.report.page.charts import ticks


def test_axis_ticks_are_round_and_inside():
    """Ticks at 1, 2 or 5 times a power of ten."""
    assert ticks(0, 10) == [0, 2, 4, 6, 8, 10]
    assert ticks(177.8, 664, 5) == [200, 300, 400, 500, 600]
    assert ticks(3, 3) == [3]
