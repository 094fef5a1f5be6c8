"""What stands for numpy's arrays in a simulated run: elements of finite fields and tokens."""
