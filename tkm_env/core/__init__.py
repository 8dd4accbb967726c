"""One game and many: their interface, records, settings, and what a learner sees of them."""
