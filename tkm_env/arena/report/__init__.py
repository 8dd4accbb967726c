"""What games say about their players, as tables, pages and JSON."""
