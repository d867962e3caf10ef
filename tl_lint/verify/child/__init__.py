"""What runs in a child process, beside TileLang: nothing here imports LibCST or anything of ours but the data classes."""
