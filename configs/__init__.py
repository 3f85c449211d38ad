"""Settings of training runs, as data."""
