"""Every stored form: files of it from each version that wrote one, and what they mean."""
