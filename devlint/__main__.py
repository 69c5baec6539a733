"""``python -m devlint``."""

import os
import sys

if __name__ == "__main__":
    if sys.path[:1] in ([""], [os.getcwd()]):  # where Python looks first with -m: a file click.py there is no library
        del sys.path[0]
    from devlint.cli import main

    main()
