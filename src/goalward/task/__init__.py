"""Planning tasks: reads PDDL, grounds it to a STRIPS task with mutex groups, and reads and writes states and plans."""
