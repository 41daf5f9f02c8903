"""goalward: learn a heuristic for one planning problem and solve it from any initial state."""
