"""The project around a file: what other files say, read only where an answer decides a finding or a fix.

**What the project is.** The nearest folder above a file that holds a repository, a ``pyproject.toml``, ``setup.py``,
``setup.cfg`` or ``devlint.toml`` (``root``). Files and folders that are excluded, or that git ignores, do not count,
and a folder that is left out is no part of the project above it. Without such a mark the project is the top package
of the file, or the folder above it that has a README, a licence or a list of requirements. A file outside of all that
knows of other files only by importing them.

**Two kinds of questions.** *Following* (``project``): what does this import, this base class, this name stand for?
Modules are found as Python finds them (relative, absolute, below ``src``), parsed with Python's own ``ast`` and
followed through re-exports. *Searching* (``searches``): does any file assign ``.gpu_id``? The files of the project are
listed once in a run and looked through as bytes; only files that hold the word are parsed. A project of more
than 20,000 files or 200 MB is not searched: the answer is None, "nobody knows", and whoever asks must take it for the
worst.

**The cache.** Only ``disk`` touches the disk. It notes each question that is asked while a file is analyzed, together
with the answer: that a path exists, the digest of a file that was read (none where there is no such file), the digest
of what a search found. A kept result holds while ``lookups`` gets the same answers. What a run has read, parsed and
found is in one ``Index``, which ends with the run; each worker process has its own, and all see the files as they
were before the run wrote any.

===================  ==============================================================================================
``ask``              from a ``FileContext`` to its ``Project``
``project``          modules, and what names in them stand for
``module``           one file: what binds its names, the full name of an expression
``known_devices``    which device an expression of another file is
``exports``          devices that a module defines for all to import, and whether imports run in a circle
``classes``          bases in other files, their methods, ``self.device``
``searches``         who assigns an attribute
===================  ==============================================================================================
"""
