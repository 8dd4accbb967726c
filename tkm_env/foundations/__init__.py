"""What everything stands on: errors, checks, files, seeds, cores."""
