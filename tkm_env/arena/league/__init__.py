"""A self-contained league, as `tkm league` runs it. Needs the extra ``[league]``."""
