"""Isolated programs that play, and the protocol of text lines that they speak."""
