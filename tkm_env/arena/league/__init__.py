"""A league that stands by itself: `tkm league`. Needs the extra ``[league]``."""
