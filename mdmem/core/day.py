"""A day of the calendar: `datetime.date`, without the module around it where that is slow to load.

Until Python 3.12 `datetime` defines every class in Python before C's take their place, a fiftieth of a lint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date
else:
    try:
        from _datetime import date
    except ImportError:
        from datetime import date

__all__ = ["date"]
