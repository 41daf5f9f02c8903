"""How commands and what they need are imported: without work that a short command would notice."""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator

BLAS_THREADS = "OPENBLAS_NUM_THREADS"


@contextlib.contextmanager
def quick_imports() -> Iterator[None]:
    """Import without looking for garbage, of which imports make none, and without threads for numpy's BLAS.

    Nothing here multiplies large matrices with numpy; starting a thread for each core takes longer than loading it.
    The library reads the variable once, when it is loaded. Child processes, and PyTorch, need not know of it.
    """
    collecting, chosen = gc.isenabled(), os.environ.get(BLAS_THREADS)
    os.environ.setdefault(BLAS_THREADS, "1")
    try:
        gc.disable()
        yield
    finally:
        if collecting:
            gc.enable()
            gc.freeze()  # or the first search for garbage would go through everything that was imported
        if chosen is None:
            os.environ.pop(BLAS_THREADS, None)
