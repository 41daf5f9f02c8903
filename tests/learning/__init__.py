"""Learning: presets, training, trials and validation."""
