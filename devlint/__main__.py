"""``python -m devlint``."""

import os
import sys

if __name__ == "__main__":
    try:
        here = ["", os.getcwd()]
    except OSError:  # the folder is gone
        here = [""]
    if sys.path[:1] and sys.path[0] in here:  # where Python looks first with -m: a file click.py there is no library
        del sys.path[0]
    from devlint.cli import main

    main()
