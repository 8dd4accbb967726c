"""What `tkm bench` measures: `table` lists it, `running` runs it, `report` formats it."""
