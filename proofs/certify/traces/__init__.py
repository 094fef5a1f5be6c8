"""The messages of certified programs, one by one: a job for a worker, and who asks for it."""
