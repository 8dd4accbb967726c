"""Grading of one submission or a class: marks, feedback, ladders, and formats of autograders."""
