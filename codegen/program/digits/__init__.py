"""Programs for any sizes: transforms of whole digits, and the digits that ranks trade between."""
