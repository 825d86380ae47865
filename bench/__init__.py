"""Measure econome against other readers of the same transcripts: whole processes, interleaved."""
