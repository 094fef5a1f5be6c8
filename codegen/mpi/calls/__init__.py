"""The calls of the simulated communicator: messages, collective calls, requests, windows."""
