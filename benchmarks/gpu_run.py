"""On a computer with a GPU: what the simulator and the harness say, held against the real thing.

    python -m benchmarks.gpu_run [--only CASE ...] [--output FOLDER]

Runs every program under fixtures/ with its rewritten one on the GPU, bit for bit, and against the CPU, within
tolerance and with the random numbers of the CPU; the battery of tests/verify/ and the behaviours that PyTorch's
documentation describes on the GPU in place of the simulator; and a table of what a CUDA build does where no GPU can
be seen. Writes FOLDER/<date>.md, by default in docs/gpu-runs/. Without a GPU it says so and exits with 2; with
--rehearse the simulated one takes its place, so that all is done but what CUDA does, and the report says so.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from queue import Queue
from xml.etree import ElementTree

from benchmarks.gpu_stages import stages
from devlint.engine.parallel.start_methods import usable_cpus
from devlint.verify import server_process
from devlint.verify.comparing.verdict import Outcome, Verdict, Word
from devlint.verify.errors import VerifyError
from devlint.verify.interpreter import find_python
from devlint.verify.matrix import verify
from devlint.verify.observer import Observer
from devlint.verify.program import Program, Setting
from devlint.verify.pytest_results import JUNIT, read_tests
from devlint.verify.reports import line
from devlint.verify.rewrites.cases import Case, Run, find_cases

ROOT = Path(__file__).resolve().parents[1]
EXPECTED = ("same", "newly works on CPU", "fails in both the same way")
STAND_IN = "tests.support.stand_in_server"
_FAILED = (Word.FAILS_ALIKE, Word.NEWLY_FAILS, Word.UNCOMPARED)
SUITES = {
    "The battery": "tests/verify/battery",
    "What PyTorch's documentation says": "tests/verify/test_behaviours.py",
}

# What programs ask of CUDA that has no GPU.
QUESTIONS = """
torch.cuda.is_available()
torch.cuda.device_count()
torch.cuda.current_device()
torch.cuda.set_device(0)
torch.cuda.get_device_name(0)
torch.cuda.get_device_capability()
torch.cuda.synchronize()
torch.cuda.empty_cache()
torch.cuda.manual_seed_all(1)
torch.cuda.memory_allocated()
torch.cuda.max_memory_allocated()
torch.cuda.reset_peak_memory_stats()
torch.cuda.ipc_collect()
torch.cuda.Event(enable_timing=True)
torch.cuda.Stream()
torch.cuda.current_stream()
torch.cuda.is_bf16_supported()
torch.cuda.nvtx.range_push("x")
torch.cuda.amp.GradScaler()
torch.autocast("cuda").__enter__()
torch.zeros(2).cuda()
torch.zeros(2).pin_memory()
torch.zeros(2, device="cuda")
torch.cuda.FloatTensor(2)
torch.zeros(2).type("torch.cuda.FloatTensor")
torch.nn.Linear(2, 2).cuda()
torch.nn.DataParallel(torch.nn.Linear(2, 2))
torch.Generator("cuda")
torch.device("cuda").type
torch.cuda.get_rng_state()
torch.accelerator.is_available()
torch.accelerator.current_accelerator()
torch.accelerator.synchronize()
torch.distributed.is_nccl_available()
""".strip().splitlines()

_ASK = """
import json, sys, warnings
warnings.simplefilter("ignore")
import torch, torch.distributed
answers = []
for question in json.load(sys.stdin):
    try:
        answers.append(repr(eval(question)).splitlines()[0][:60])
    except BaseException as error:
        answers.append(f"{type(error).__name__}: {str(error).splitlines()[0][:70]}")
print(json.dumps(answers))
"""


def is_rehearsal() -> bool:
    """Whether the simulated GPU takes the place of a real one."""
    return server_process.SERVER == STAND_IN


def about(observer: Observer) -> Iterator[str]:
    """What took part."""
    code = (
        "import torch; n = torch.cuda.device_count(); print(torch.version.cuda, torch.backends.cudnn.version(), n, "
        "*(torch.cuda.get_device_name(i) for i in range(n)), sep='; ')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    there = "the simulated one in its place, so this proves nothing of CUDA" if is_rehearsal() else "cuda"
    yield f"- torch {observer.torch}; accelerators: {there}"
    yield f"- CUDA; cuDNN; number of GPUs; names: {done.stdout.strip() or 'unknown'}"
    yield f"- Python {platform.python_version()}, {platform.platform()}"


def _gpus() -> int:
    code = "import torch; print(torch.cuda.device_count())"
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def first_look(observer: Observer) -> Iterator[str]:
    """What becomes of the shortest program that computes on a device, in the harness: if that fails, all will."""
    setting = Setting(observer.accelerators[0])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        path.write_text(
            "import torch\nx = torch.ones(2, device='cuda', requires_grad=True)\n"
            "(x * x).sum().backward()\nprint(x.grad.sum().item())\n"
        )
        seen = observer.observe(Program(str(path)), setting)
    ended, printed = seen.ended or f"exit code {seen.code}", seen.stdout.strip() or "prints nothing"
    yield f"`(x * x).sum().backward()` in the harness, on {setting.title}: {ended}, {printed}"
    for text in (*seen.refused, *seen.stderr.splitlines()[-15:]):
        yield f"    {text}"
    yield ""
    yield from stages("cpu" if is_rehearsal() else "cuda")


def fixtures(only: list[str], gpus: int) -> Iterator[str]:
    """Every program, on every computer there is, several side by side: what differs at once, and the counts."""
    cases = [(case, run) for case in find_cases(ROOT / "fixtures", only) for run in case.runs]
    counts: Counter[tuple[str, str]] = Counter()
    failures: Counter[tuple[str, str]] = Counter()
    free: Queue[Observer] = Queue()
    with ExitStack() as until_done, ThreadPoolExecutor(max(1, usable_cpus() // 2)) as pool:
        for _ in range(max(1, usable_cpus() // 2)):
            free.put(until_done.enter_context(Observer()))

        def judged(case: Case, run: Run) -> Verdict:
            observer = free.get()
            there = observer.accelerators if case.device_count <= gpus else ()
            try:
                return verify(observer, case.task(run), ("cpu", "simulated", *there))
            finally:
                observer.forget()
                free.put(observer)

        for verdict in pool.map(judged, *zip(*cases)):
            counts.update((one.setting, one.title) for one in verdict.outcomes)
            failures.update((one.setting, _why(one)) for one in verdict.outcomes if one.word in _FAILED)
            if not _is_expected(verdict):
                yield from ("", "```text", line(verdict), "```")
    yield from ("", "| on | verdict | programs |", "| --- | --- | --- |")
    yield from (f"| {setting} | {title} | {count} |" for (setting, title), count in sorted(counts.items()))
    yield from ("", "| fails on | with | programs |", "| --- | --- | --- |")
    yield from (f"| {setting} | {why} | {count} |" for (setting, why), count in failures.most_common())


def _is_expected(verdict: Verdict) -> bool:
    """Whether no program differs, and none fails on a GPU that works on the simulated one."""
    simulated = any(one.setting == "simulated cuda" and one.word.holds for one in verdict.outcomes)
    fails = any(one.setting == "cuda" and one.word is Word.FAILS_ALIKE for one in verdict.outcomes)
    return all(one.title in EXPECTED for one in verdict.outcomes) and not (simulated and fails)


def _why(outcome: Outcome) -> str:
    """Why a program failed, without what differs between programs."""
    return re.sub(r"\S+\.py:\d+|line \d+|0x[0-9a-f]+", "…", " ".join((outcome.detail, *outcome.notes)))[:200].replace(
        "|", "/"
    )


def suite(path: str, real: bool) -> Iterator[str]:
    """Tests that say what CUDA does, on the real one, or in a rehearsal on the simulated one."""
    with tempfile.TemporaryDirectory() as folder:
        # Without the configuration in pyproject.toml, which names options of plugins that are not needed here.
        options = ["-q", "-c", os.devnull, f"--rootdir={ROOT}", "-p", "no:randomly"]
        if find_spec("xdist"):
            options += ["-n", str(max(1, usable_cpus() // 2))]
        command = [sys.executable, "-m", "pytest", *options, path]
        environment = {**os.environ, "DEVLINT_REAL_CUDA": "1" if real else ""}
        result = os.path.join(folder, JUNIT)
        subprocess.run([*command, f"--junitxml={result}"], cwd=ROOT, env=environment, capture_output=True, check=False)
        tests = read_tests(folder) or {}
        reasons = [*_reasons(Path(result))]
    counts = Counter(tests.values())
    yield ", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "failed", "skipped"))
    yield from reasons


def _reasons(result: Path) -> Iterator[str]:
    """Each test that failed or was skipped, and why."""
    if not result.exists():
        return
    for case in ElementTree.parse(result).iter("testcase"):
        for kind in ("failure", "error", "skipped"):
            for found in case.iter(kind):
                why = (found.get("message") or "").splitlines()[:2]
                yield f"- `{case.get('name')}`: {kind}: {' '.join(why)[:300]}"


def without_gpu() -> Iterator[str]:
    """What this build does where no GPU can be seen."""
    answers = subprocess.run(
        [sys.executable, "-c", _ASK],
        input=json.dumps(QUESTIONS),
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    yield from ("| asked | answer |", "| --- | --- |")
    for question, answer in zip(QUESTIONS, json.loads(answers.stdout)):
        yield f"| `{question}` | {answer.replace('|', '/')} |"


def report(observer: Observer, date: str, only: list[str]) -> Iterator[str]:
    """The report, what is quick first, each line as soon as it is known: a run that is cut off leaves its part."""
    real = not is_rehearsal()
    yield from (f"# {'Run on a real GPU' if real else 'Rehearsal without a GPU'}, {date}", "", *about(observer))
    yield from ("", *first_look(observer))
    yield from ("", "## This build where no GPU can be seen", "", *without_gpu())
    for title, path in SUITES.items() if not only else ():
        yield from ("", f"## {title}", "")
        yield from suite(path, real)
    yield from ("", "## Programs and their rewritten ones", "")
    yield from fixtures(only, _gpus() if real else 2)


def main(arguments: list[str] | None = None) -> int:
    """Run it all, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], metavar="CASE", help="these fixtures, and no other tests")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "gpu-runs", metavar="FOLDER")
    parser.add_argument("--rehearse", action="store_true", help="without a GPU, with the simulated one in its place")
    options = parser.parse_args(arguments)
    try:
        return write(options.output, options.only, options.rehearse)
    except VerifyError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def write(folder: Path, only: list[str], rehearse: bool) -> int:
    """Write the report to a folder, if there is a GPU or one can do without."""
    date = datetime.date.today().isoformat()
    path = folder / f"{date}.md"
    find_python(sys.executable)
    if rehearse:
        server_process.SERVER = STAND_IN
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    with Observer() as observer:
        if "cuda" not in observer.accelerators:
            print("error: there is no GPU here that torch can use", file=sys.stderr)
            return 2
        folder.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            for text in report(observer, date, only):
                file.write(text + "\n")
                file.flush()
    print(f"Wrote {path}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
