"""Matches between players, and what they show."""
