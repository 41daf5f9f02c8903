"""Training data: sampled states, their labels, and the file they are kept in."""
