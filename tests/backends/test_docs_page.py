"""The backend that stands in the documentation keeps the contract, as it stands there."""

import re
import sys
from pathlib import Path

import pytest

from rulecg_core.testing import BackendContract

PAGE = Path(__file__).parents[2] / "docs" / "plugins" / "backend.md"
MODULE = "backend_of_the_docs_page"


@pytest.fixture(scope="module")
def page_module(tmp_path_factory):
    """The page's Python, as a module that other processes can import, too."""
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    folder = tmp_path_factory.mktemp("page")
    (folder / f"{MODULE}.py").write_text(code, encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        yield __import__(MODULE)
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(MODULE, None)


class TestBackendOfTheDocsPage(BackendContract):
    @pytest.fixture
    def backend(self, page_module):
        return page_module.PlainHiGHS()
