"""Values of symbols at which an equation is compared."""
