"""Grading: of one submission or a class, with feedback, ladders and autograder formats."""
