"""The memory of ranks: message buffers, what is under way, and what ranks share."""
