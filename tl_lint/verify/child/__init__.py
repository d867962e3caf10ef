"""What runs in a child process, beside TileLang: of ours it imports the data classes alone, and never LibCST."""
