"""Programs that compute with integers modulo a prime p, decided over GF(p) itself."""
