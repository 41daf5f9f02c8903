"""The main function of a unit's process: takes a job as JSON and returns its result as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from goalward.experiments.unit_work import BlockedError, LostError, do_unit
from goalward.experiments.units import Job


def main(message: str) -> str:
    """Run a job and return its result or, under the key ``lost`` or ``blocked``, the reason why there is none."""
    try:
        return json.dumps(asdict(do_unit(Job.from_json(message))))
    except LostError as error:
        return json.dumps({"lost": str(error)})
    except BlockedError as error:
        return json.dumps({"blocked": str(error)})
