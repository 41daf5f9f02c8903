"""Other planners and methods: that they are run fairly, end when they must, and are believed only when checked."""
