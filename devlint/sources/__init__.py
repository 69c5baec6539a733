"""From bytes to text: discovery, encodings, ignore files, suppressions, changed lines and text files."""
