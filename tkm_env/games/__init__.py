"""The games, each in a folder with the same layout; `registry` lists them."""
