"""What all other rooms build on: errors, checks, files, seeds, cores."""
