"""From an experiment's results to one page that people want to look at.

``write_report`` makes the page; ``load`` and the modules ``coverage``, ``measures`` and ``learning`` give the numbers
on it to whoever wants them elsewhere.
"""

from goalward.report.data import Experiment, load
from goalward.report.html import write_report

__all__ = ["Experiment", "load", "write_report"]
