"""A game behind other libraries' interfaces: PettingZoo, Gymnasium, Stable-Baselines3.

These adapters contain no rules.
"""
