"""The games, each in a folder with the same rooms; `registry` is the table of them."""
