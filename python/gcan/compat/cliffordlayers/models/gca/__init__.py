"""Networks of group actions."""
