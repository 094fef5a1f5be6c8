"""What a program keeps from call to call."""
