"""From an answer of the analysis to the edits of a fix."""
