"""Programs that play: isolated from everything else, and speaking a protocol of text lines."""
