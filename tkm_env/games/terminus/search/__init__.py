"""Search for good play in Terminus, compiled on the engine."""
