"""Players: see the modules. Imports nothing."""
