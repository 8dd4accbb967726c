"""Search for good play in Terminus, in compiled code. Imports the engine."""
