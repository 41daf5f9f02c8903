"""Experiments of any size: many instances, methods, seeds and states; each result is stored once.

``store`` keeps results in SQLite, and everything that runs or reads an experiment goes through it. A ``config`` becomes
a list of ``units`` of work, the ``runner`` hands them to Dask, and a ``worker`` runs each of them in a separate process
under a ``guard``.
"""
