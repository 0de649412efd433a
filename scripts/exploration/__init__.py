"""Design-space exploration: the modules behind scripts/sweep (what is run) and scripts/explore (what came out)."""
