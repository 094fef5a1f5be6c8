"""The front door: public names and the command line."""
