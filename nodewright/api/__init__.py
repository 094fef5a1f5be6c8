"""The names of `import nodewright as nw`, a module for each subject."""
