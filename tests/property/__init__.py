"""Properties: what holds for every history, tried on generated ones."""
