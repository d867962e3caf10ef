"""How findings are written down. Nothing here reads a file or decides what is a finding."""
