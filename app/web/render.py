from typing import Any

from flask import render_template, request
from jinja2_fragments.flask import render_block


def is_htmx() -> bool:
    """Tell whether htmx asks, by its header only."""
    return request.headers.get("HX-Request") == "true"


def render(page: str, block: str, **context: Any) -> str:
    """Render the named block of a page for htmx, and the whole page for everybody else."""
    if is_htmx():
        return render_block(page, block, **context)
    return render_template(page, **context)
