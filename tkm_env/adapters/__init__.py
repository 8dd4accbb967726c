"""Games and environments in the forms that other libraries expect; the libraries are imported when used."""
