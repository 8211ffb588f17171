"""How the pages become a site: ``sphinx-build -W docs FOLDER``, with the extra ``docs``."""

from replayable import __version__

project = "replayable"
release = __version__

extensions = ["myst_parser"]
exclude_patterns = ["*.py"]
# Links to headings, as GitHub makes their ids; one that leads nowhere is a warning.
myst_heading_anchors = 4

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = f"replayable {__version__}"
html_show_copyright = False
html_show_sourcelink = False
