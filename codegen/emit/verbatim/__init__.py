"""Functions and classes that programs have word for word, whatever was asked for."""
