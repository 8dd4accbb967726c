"""The games as other libraries' own, and environments as other libraries want them; what a library needs is imported when used."""
