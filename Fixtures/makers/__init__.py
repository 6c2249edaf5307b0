"""Hand-made bytes for the fixtures. Python standard library only."""
