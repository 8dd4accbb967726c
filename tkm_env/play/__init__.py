"""Playing against people: see the modules. Imports nothing."""
