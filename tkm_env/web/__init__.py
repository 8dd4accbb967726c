"""Pages over HTTP: who may ask for what, and the server behind them."""
