"""Tables and figures of an experiment, as one HTML page.

``write_report`` writes the page. For the numbers on it, ``load`` an experiment and use the modules ``coverage``,
``side_by_side``, ``training``, ``plans``, ``quality``, ``queues`` and ``not_solved``.
"""

from goalward.report.data import Experiment, load
from goalward.report.html import write_report

__all__ = ["Experiment", "load", "write_report"]
