"""Tournaments: their kinds and schedules, their participants, and their files."""
