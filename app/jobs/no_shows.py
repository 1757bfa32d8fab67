from app.booking.expiry import BATCH
from app.booking.no_shows import suggest_no_shows
from app.jobs.sweeping import sweep


def suggest() -> int:
    """Put possible absences up for review; tell how many. A person decides."""
    return sweep(suggest_no_shows, batch_size=BATCH)
