"""Attacks are not tests: only their runner imports them, each in a program of its own."""

collect_ignore_glob = ["*"]
