"""What games have in common whose state is one record that compiled functions play on."""
