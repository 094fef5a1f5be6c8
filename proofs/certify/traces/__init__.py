"""The messages of certified programs, one by one."""
