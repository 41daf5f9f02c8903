"""Experiments of any size: many instances, methods, seeds and states, each result kept once.

``store`` holds results in SQLite; everything that runs or reads an experiment goes through it.
"""
