"""Adapters between a game and the libraries' interfaces: PettingZoo, Gymnasium, Stable-Baselines3. They contain no rules."""
