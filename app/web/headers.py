"""What every answer says to browsers and caches, whichever door it comes from."""

from flask import Flask, Response, request

POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    )
)


def register(app: Flask) -> None:
    """Add the headers to every answer. Static files are served before and have their own."""
    app.after_request(harden)


def harden(response: Response) -> Response:
    """Keep pages out of caches and frames, and scripts out of pages."""
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Cache-Control"] = "no-store"
    response.vary.update(["Accept-Language", "Cookie", "HX-Request"])
    if request.is_secure:
        response.headers["Strict-Transport-Security"] = "max-age=31536000"
    return response
