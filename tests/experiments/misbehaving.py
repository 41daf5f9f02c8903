"""What a unit's process may do, by the variable MISBEHAVIOUR; the tests run it in place of the real work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main(message: str) -> str:
    job = json.loads(message)
    behaviour = os.environ["MISBEHAVIOUR"]
    Path(job["scratch"]).write_text("half a model")
    tempfile.mkstemp()
    if behaviour == "sleep":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(1000)
    elif behaviour == "spin":
        while True:
            pass
    elif behaviour == "grow":
        hoard = []
        while True:
            hoard.append(bytearray(os.urandom(1) * 2**22))
            time.sleep(0.001)
    elif behaviour == "signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif behaviour == "raise":
        raise ValueError("the moon is full")
    elif behaviour == "exit":
        os._exit(7)
    elif behaviour == "offspring":
        # A child in a group of its own, as Fast Downward is, which outlives its parent.
        command = [sys.executable, "-c", "import time; time.sleep(1000)"]
        child = subprocess.Popen(command, process_group=0)
        Path(os.environ["OFFSPRING"]).write_text(str(child.pid))
        if "stay" in os.environ:
            time.sleep(1000)
    print("something that a library prints")
    threads = os.environ["OMP_NUM_THREADS"]
    extra = {"threads": threads, "long": [0.5] * 200_000}
    return json.dumps({"unit": "train/d/e/i/m/0", "status": "trained", "extra": extra})
