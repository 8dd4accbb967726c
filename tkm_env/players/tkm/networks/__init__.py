"""The value networks that come with the package; docs/networks.md says how they were made."""
