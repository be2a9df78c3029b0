"""Networks of geometric products."""
