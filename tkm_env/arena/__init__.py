"""Matches between players: see the modules. Imports nothing."""
