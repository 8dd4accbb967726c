"""Adapters between a game and the libraries' interfaces. They use nothing of a game but `protocol.GameProtocol`."""
