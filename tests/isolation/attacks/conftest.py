"""Attacks are no tests: nothing here is imported but by what runs them, each in a program of its own."""

collect_ignore_glob = ["*"]
