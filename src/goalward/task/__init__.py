"""The planning task: PDDL in, a grounded STRIPS task with mutex groups, states and plans out."""
