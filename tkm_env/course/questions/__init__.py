"""The questions of assignments, and the marks that they are worth."""
