"""The games as other libraries' own, each in a module named after the library and imported when used."""
