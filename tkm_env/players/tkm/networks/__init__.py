"""The value networks that come with the package; docs/learning.md says how they were made."""
