"""Tournaments of all kinds: who takes part, who meets whom, and the files that describe them."""
