"""Disturb `devlint fix` in all ways at hand, and show that no file is lost or half-written: `make faults`.

    python -m benchmarks.faults                       some minutes; the seed is printed
    python -m benchmarks.faults --kills 500 --seed 7  more kills, at the same moments again
    python -m benchmarks.faults --folder /mnt/x       on the file system of a folder, too

Where users may make namespaces, it mounts overlayfs, of one disk and of two, and a tmpfs that is full, without root.
After each fault every file is the old one or the new one, each problem is one line, and the next run repairs all. With
strace every system call that changes files fails once, too. The exit code is 1 if something is wrong.
"""

from __future__ import annotations

import argparse
import errno
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.fault_ground import FIX, Ground
from benchmarks.fault_mounts import OverlayGround, full_disks, in_own_mounts
from devlint.sources import file_writing
from devlint.verify.namespaces import can_separate, separate

CALLS = ("open", "link", "replace", "unlink", "chmod", "chown", "fstat", "access", "urandom", "scandir")
"""Of ``os``, as devlint/sources/file_writing.py calls them."""
ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES, errno.EDQUOT, errno.EROFS, errno.EINTR)
SYSTEM_CALLS = ("write", "rename", "link", "unlink", "chmod", "chown", "flock", "fcntl", "listxattr", "ftruncate")
Fault = tuple[str, Callable[[Ground], tuple[int, str]]]


def main() -> int:
    """Parse the command line, make the faults on each file system, print what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--folder", action="append", default=[], type=Path)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    start = time.perf_counter()
    bad = False
    for place in [None, *(Path(one) for one in ("/dev/shm",) if os.path.isdir(one)), *options.folder]:
        with tempfile.TemporaryDirectory(dir=place, prefix="devlint-faults-") as folder:
            bad |= _disturb(folder, Ground(Path(folder)), options)
    with tempfile.TemporaryDirectory(prefix="devlint-faults-") as folder:
        code = in_own_mounts(lambda: _in_own_mounts(Path(folder), options))
    if code is None:
        print("no overlayfs: this system gives no namespaces to programs")
    print(f"{time.perf_counter() - start:.0f} s")
    return 1 if bad or code else 0


def _in_own_mounts(folder: Path, options: argparse.Namespace) -> bool:
    tally: Counter[str] = Counter()
    ground = Ground(_made(folder / "full"))
    bad = _told("full", _judged(ground, full_disks(), tally), tally)
    for title, is_elsewhere in (("overlayfs", False), ("overlayfs over another disk", True)):
        bad |= _disturb(title, OverlayGround(_made(folder / title), is_elsewhere), options)
    return bad


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _disturb(title: str, ground: Ground, options: argparse.Namespace) -> bool:
    tally: Counter[str] = Counter()
    return _told(title, offenders(ground, random.Random(options.seed), options.kills, tally), tally)


def _told(title: str, wrong: Iterator[str], tally: Counter[str]) -> bool:
    """Print what is wrong in one place: whether there is anything."""
    for line in wrong:
        tally["offenders"] += 1
        print(f"{title}: {line}", flush=True)
    print(f"{title}: " + ", ".join(f"{count:,} {what}" for what, count in sorted(tally.items())), flush=True)
    return bool(tally["offenders"])


def offenders(ground: Ground, rng: random.Random, kills: int, tally: Counter[str]) -> Iterator[str]:
    """What is wrong after each fault."""
    found = (*_kills(ground, rng, kills), *_failures(ground, rng), *_system_calls(ground, rng), *_walls())
    yield from _judged(ground, found, tally)
    for name, crowd in (("appends by others", _appends), ("runs at the same time", _runs)):
        for _ in range(max(kills // 20, 2)):
            tally[name] += 1
            ground.reset()
            yield from (f"{name}: {line}" for line in crowd(ground, rng))


def _judged(ground: Ground, found: Iterable[Fault], tally: Counter[str]) -> Iterator[str]:
    for name, fault in found:
        tally[name.partition(":")[0]] += 1
        ground.reset()
        yield from (f"{name}: {line}" for line in ground.complaints(*fault(ground), "unlink" in name))


def _kills(ground: Ground, rng: random.Random, count: int) -> Iterator[Fault]:
    """Kills at random moments, and before each call that writes."""
    start = time.perf_counter()
    ground.run()
    whole = time.perf_counter() - start

    def random_kill(seconds: float, ground: Ground) -> tuple[int, str]:
        return ground.kill(*ground.start(), seconds)

    for number in range(count):
        yield f"kills: {number}", partial(random_kill, rng.uniform(0, whole))
    for call, times in _counted(ground).items():
        for number in range(times):
            yield f"kills at a call: {call} {number}", partial(_disturbed, call, number, None)


def _failures(ground: Ground, rng: random.Random) -> Iterator[Fault]:
    """Each call that writes fails once."""
    for call, times in _counted(ground).items():
        for number in range(times):
            yield f"failing calls: {call} {number}", partial(_disturbed, call, number, rng.choice(ERRORS))


def _counted(ground: Ground) -> dict[str, int]:
    """How often a run makes each call."""
    ground.reset()
    log = Path(tempfile.mkstemp()[1])

    def count() -> None:
        _wrap(lambda name: log.open("a").write(name + "\n"))

    ground.run(count)
    names = Counter(log.read_text().split())
    log.unlink()
    return dict(names)


def _disturbed(call: str, number: int, error: int | None, ground: Ground) -> tuple[int, str]:
    """A run in which one call fails, or before which it is killed."""
    seen = 0

    def disturb(name: str) -> None:
        nonlocal seen
        if name == call:
            seen += 1
            if seen == number + 1 and error is None:
                os.kill(os.getpid(), signal.SIGKILL)
            elif seen == number + 1:
                raise OSError(error, os.strerror(error or 0))

    return ground.run(lambda: _wrap(disturb))


def _wrap(meet: Callable[[str], object]) -> None:
    """Call ``meet`` before each call of ``os`` that the module makes which writes files."""

    class Watched:
        def __getattr__(self, name: str) -> Any:
            value = getattr(os, name)
            if name not in CALLS:
                return value

            def call(*arguments: Any, **options: Any) -> Any:
                meet(name)
                return value(*arguments, **options)

            return call

    vars(file_writing)["os"] = Watched()


def _system_calls(ground: Ground, rng: random.Random) -> Iterator[Fault]:
    """Each system call that changes files fails once, where there is strace."""
    strace = shutil.which("strace")
    if strace is None:
        return
    ground.reset()
    names = ",".join(SYSTEM_CALLS)
    done = _traced(ground, [strace, "-f", "-e", f"trace={names}"])
    for call, times in Counter(re.findall(r"^(?:\[pid +\d+\] )?(\w+)\(", done[1], re.MULTILINE)).items():
        for number in range(1, times + 1):
            fault = f"inject={call}:error={errno.errorcode[rng.choice(ERRORS[:4])]}:when={number}"
            yield (
                f"failing system calls: {fault}",
                partial(_traced, command=[strace, "-f", "-o", "/dev/null", "-e", fault]),
            )


def _traced(ground: Ground, command: list[str]) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = [*command, sys.executable, "-m", "devlint", *FIX]
    done = subprocess.run(run, cwd=ground.folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return done.returncode, done.stderr.decode("utf-8", "replace")


def _walls() -> Iterator[Fault]:
    """A file system that is full, a limit of the size of files, and one that cannot be written."""

    def small() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

    yield "full disks: files of 300 bytes", lambda ground: ground.run(small)
    if can_separate(True):
        yield "read-only disks", lambda ground: ground.run(lambda: separate((), True))


def _appends(ground: Ground, rng: random.Random) -> Iterator[str]:
    """What is lost of the lines that others append while devlint fixes the files."""
    child, log = ground.start()
    lines = []
    deadline = time.monotonic() + 60
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None and time.monotonic() < deadline:
        name, line = rng.choice(sorted(ground.before)), f"# line {len(lines)}\n".encode()
        with open(ground.folder / name, "ab") as file:
            file.write(line)
        lines.append((name, line))
        time.sleep(rng.uniform(0, 0.02))
    code, said = ground.end(child, log)
    if "Traceback" in said or code not in (0, 2):
        yield f"ended with {code}: {said}"
    after = ground.contents()
    yield from (f"{name} lost {line!r}" for name, line in lines if line not in after[name])


def _runs(ground: Ground, rng: random.Random) -> Iterator[str]:
    """What is wrong after several runs at the same time."""
    ends = [ground.end(*one) for one in [ground.start() for _ in range(rng.randint(2, 4))]]
    for code, said in ends:
        if "Traceback" in said or code not in (0, 1, 2):
            yield f"ended with {code}: {said}"
    yield from ground.complaints(0 if any(code == 0 for code, _ in ends) else 1, "")


if __name__ == "__main__":
    raise SystemExit(main())
