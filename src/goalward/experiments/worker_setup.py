"""Loaded by each worker when it starts: makes it ignore Ctrl-C, since the runner ends its workers itself."""

import contextlib
import signal

with contextlib.suppress(ValueError):  # not in the main thread
    signal.signal(signal.SIGINT, signal.SIG_IGN)
