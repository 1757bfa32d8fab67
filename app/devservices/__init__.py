"""The servers a desk needs, started from wheels: PostgreSQL and a Redis-compatible store."""
