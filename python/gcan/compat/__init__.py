"""Drop-in replacements for other packages."""
