"""Compiled search for Terminus, on top of its engine."""
