"""Experiments of any size: many instances, methods, seeds and states, each result kept once.

``store`` holds results in SQLite; everything that runs or reads an experiment goes through it. A ``config`` is turned
into ``units``, the ``runner`` hands them to Dask, and a ``worker`` runs each in a process of its own under a ``guard``.
"""
