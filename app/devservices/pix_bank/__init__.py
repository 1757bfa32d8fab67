"""A bank that speaks the API Pix over HTTP, for development and tests: no money ever moves.

`python -m app.devservices.pix_bank --port 8099 --data var/pix-bank` runs it alone.
"""
