"""The server's addresses, by subject: each module holds a Flask blueprint."""
