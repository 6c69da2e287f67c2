"""How the site is built: `make docs`."""

import sys
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer

import continuarm

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE / "extensions"))

project = "continuarm"
author = "The continuarm authors"
copyright = author
version = release = continuarm.__version__

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
    "native_mathml",
    "public_names",
    "command_reference",
    "page_pictures",
    "arm_pages",
    "site_check",
]
exclude_patterns = ["_build", "extensions", "pictures/*.md", "gallery/**/GALLERY_HEADER.rst", "**/*.ipynb"]

# A link or a name that leads nowhere is an error: `make docs` turns warnings into errors.
nitpicky = True
nitpick_ignore_regex = [
    # Types that readers know, or that have no page.
    (r"py:.*", r"(numpy|matplotlib|os|pathlib|typing|collections|pydantic)\..*"),
    (r"py:.*", r"(ArrayLike|Floats|NDArray|Path|Figure|Sequence|Mapping|Iterable|Callable|Any|Self|Literal)"),
]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = True

# Docstrings say types, shapes and units themselves; signatures stay short.
autodoc_typehints = "none"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
autodoc_member_order = "bysource"
add_module_names = False
toc_object_entries = False

sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples" / "gallery")],
    "gallery_dirs": ["gallery"],
    "backreferences_dir": "gallery/of_names",
    "doc_module": ("continuarm",),
    "filename_pattern": r"plot_",
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,  # their pages would load scripts from the network
    "abort_on_example_error": True,
    "plot_gallery": True,
    "within_subsection_order": "FileNameSortKey",
    "reset_modules": ("gallery_style.apply",),
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "thumbnail_size": (480, 340),
    "copyfile_regex": r"GALLERY_HEADER\.rst",
}

html_theme = "pydata_sphinx_theme"
html_title = f"continuarm {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "continuarm"},
    "navigation_depth": 2,
    "show_nav_level": 2,
    "show_toc_level": 2,
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def setup(app: Any) -> None:
    """Called by Sphinx: tables are shown as they are."""
    app.add_lexer("csv", TextLexer)
