"""How the pages become a site: ``make docs`` builds it into ``site/``, strictly and without a network."""

import os
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import rulecg  # noqa: E402
from scripts import reference  # noqa: E402 - found by the path above

project = "rulecg"
author = "the rulecg developers"
copyright = "the rulecg developers"
version = release = rulecg.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["examples", "results/cells", "results/*/cells"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["config.cache"]

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
# scikit-learn adds these; their texts refer to pages of its own site.
autodoc_default_options = {
    "exclude-members": ", ".join(f"set_{method}_request" for method in ("fit", "fit_from", "score", "transform"))
}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_title = "rulecg"
html_static_path = ["_static"]
html_css_files = ["rulecg.css"]
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_align": "left",
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_exclude = ".linenos, .gp, .go"

sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples")],
    "gallery_dirs": ["gallery"],
    "within_subsection_order": "scripts.gallery_order.ReadingOrder",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py|branch_and_price_scip\.py",
    "doc_module": ("rulecg", "rulecg_core", "rulecg_fairness"),
    "backreferences_dir": "reference/backreferences",
    "exclude_implicit_doc": set(),
    "inspect_global_variables": True,
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 1e9,
    "plot_gallery": os.environ.get("RULECG_DOCS_GALLERY", "1") == "1",
    "abort_on_example_error": True,
}
warnings.filterwarnings("ignore", category=UserWarning, message=".*non-GUI backend.*")


def setup(app):
    """Write the pages that are made from the code before anything else reads the sources."""
    reference.write(Path(__file__).parent / "reference" / "generated")
