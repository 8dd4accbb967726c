"""Pages over HTTP: which requests are answered, and the server behind them."""
