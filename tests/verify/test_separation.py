"""What a program cannot reach while it is verified: files of others, other computers, secrets of its user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.cli import main
from devlint.verify.namespaces import can_separate
from devlint.verify.observer import Observer
from devlint.verify.program import CPU, Limits, Program
from devlint.verify.sandbox import SIGNALS_SINCE, landlock_version
from devlint.verify.secret_variables import is_secret, without_secrets

separates = pytest.mark.skipif(not can_separate(False), reason="this system gives no namespaces to programs")
LOOPBACK = """
import os, socket, socketserver, threading
server = socketserver.TCPServer(("127.0.0.1", 0), socketserver.StreamRequestHandler)
threading.Thread(target=server.handle_request, daemon=True).start()
socket.create_connection(server.server_address).close()
import torch.distributed as dist
os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="0", RANK="0", WORLD_SIZE="1")
store = dist.TCPStore("localhost", 0, 1, True)
dist.init_process_group("gloo", store=store, rank=0, world_size=1)
import torch
x = torch.ones(2)
dist.all_reduce(x)
print(x.tolist(), os.path.exists("/dev/shm"))
open("/dev/null", "w").write("x")
torch.multiprocessing.get_context("fork").Queue().close()
"""


def observed(observer: Observer, path: Path, text: str) -> tuple[bool, str, str]:
    path.write_text(text)
    seen = observer.observe(Program(str(path)), CPU)
    return seen.works, seen.stdout, seen.stderr


@separates
@pytest.mark.parametrize("command", ["chmod 777", "touch -d 2001-01-01", "rm", "ln -f program.py"])
def test_a_child_changes_no_file_of_others(observer: Observer, tmp_path: Path, command: str) -> None:
    other = tmp_path / "other"
    other.write_text("kept")
    before = other.stat()
    run = f"import subprocess\nprint(subprocess.run({f'{command} {other}'!r}, shell=True, cwd={str(tmp_path)!r}).returncode != 0)\n"
    works, out, err = observed(observer, tmp_path / "program.py", run)
    assert (works, out) == (True, "True\n"), err
    after = other.stat()
    assert (after.st_mode, after.st_mtime, after.st_nlink) == (before.st_mode, before.st_mtime, before.st_nlink)


@separates
def test_modes_and_times_in_its_own_folder_change(observer: Observer, tmp_path: Path) -> None:
    run = "import os\nopen('a', 'w').close()\nos.chmod('a', 0o640)\nos.utime('a', (1, 1))\nos.system('chmod +x a')\nprint(oct(os.stat('a').st_mode))\n"
    assert observed(observer, tmp_path / "program.py", run)[:2] == (True, "0o100751\n")


@pytest.mark.parametrize(
    "call", ["os.chown({!r}, -1, -1)", "os.setxattr({!r}, 'user.a', b'b')", "os.chmod({!r}, 0o777)"]
)
def test_python_itself_is_told_where_it_may_not(observer: Observer, tmp_path: Path, call: str) -> None:
    if not hasattr(os, call.partition("(")[0][3:]):
        pytest.skip("this system has no such call")
    other = tmp_path / "other"
    other.write_text("kept")
    path = tmp_path / "program.py"
    path.write_text(f"import os\n{call.format(str(other))}\n")
    assert observer.observe(Program(str(path)), CPU).refused == (f"writes outside its scratch folder: {other}",)


@pytest.mark.skipif(landlock_version() < SIGNALS_SINCE, reason="this kernel does not keep signals to a program")
@pytest.mark.parametrize("command", ["kill {}", "kill -9 -{}", "kill $(ps -o ppid= $PPID)"])
def test_no_other_program_is_ended(observer: Observer, tmp_path: Path, command: str) -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as other:
        run = (
            "import os, signal, subprocess\n"
            f"print(subprocess.run({command.format(other.pid)!r}, shell=True).returncode != 0)\n"
            "own = subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
            "os.killpg(own.pid, signal.SIGTERM)\nprint(own.wait())\n"
        )
        try:
            works, out, err = observed(observer, tmp_path / "program.py", run)
            assert (works, out) == (True, "True\n-15\n"), err
            assert other.poll() is None
        finally:
            other.kill()


@separates
def test_a_child_reaches_no_other_computer(observer: Observer, tmp_path: Path) -> None:
    inner = "import socket\ns = socket.socket()\ns.settimeout(5)\nprint(s.connect_ex((bytes([49]).decode() + '92.0.2.1', 80)))\n"
    run = f"import subprocess, sys\nsubprocess.run([sys.executable, '-I', '-S', '-c', {inner!r}])\n"
    works, out, _ = observed(observer, tmp_path / "program.py", run)
    assert (works, out) == (True, "101\n")  # the network is unreachable


def test_programs_talk_to_themselves(observer: Observer, tmp_path: Path) -> None:
    works, out, err = observed(observer, tmp_path / "program.py", LOOPBACK)
    assert (works, out) == (True, "[1.0, 1.0] True\n"), err


@separates
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
def test_a_user_without_rights_is_separated_too(tmp_path: Path) -> None:
    script = (
        "import os, subprocess, sys, socket\nfrom devlint.verify.namespaces import can_separate, separate\n"
        "import ctypes\n'a'.encode('idna')\nown, other = sys.argv[1:]\nos.setgroups([])\nos.setgid(65534)\nos.setuid(65534)\n"
        "ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)\nassert can_separate(False)\nseparate((own,), False)\n"
        "open(own + '/made', 'w').close()\n"
        "try:\n    os.utime(other, (1, 1))\nexcept OSError as error:\n    print(error.errno)\n"
        "print(os.getuid(), open('/proc/self/status').read().partition('CapEff:')[2].split()[0])\n"
    )
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.write_text("kept")
    for path in (own, other):
        os.chown(path, 65534, 65534)
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        if folder.stat().st_uid == os.getuid() and "pytest" in str(folder):
            folder.chmod(0o755)
    done = subprocess.run([sys.executable, "-c", script, str(own), str(other)], capture_output=True, text=True)
    assert done.stdout == "30\n65534 0000000000000000\n", done.stderr
    assert (own / "made").exists() and other.stat().st_mtime > 1


def test_secrets_are_known_by_name_and_value() -> None:
    secret = (
        "HF_TOKEN WANDB_API_KEY AWS_SECRET_ACCESS_KEY GITHUB_TOKEN DB_PASSWORD MYSQL_PWD SSH_AUTH_SOCK OPENAI_APIKEY"
    )
    plain = (
        "PATH HOME PWD OLDPWD LANG PYTHONPATH TOKENIZERS_PARALLELISM KEYBOARD CUDA_VISIBLE_DEVICES XAUTHORITY MONKEY"
    )
    assert [name for name in f"{secret} {plain} hf_token".split() if is_secret(name, "x")] == [
        *secret.split(),
        "hf_token",
    ]
    assert is_secret("DATABASE_URL", "postgres://me:word@host/x") and not is_secret("URL", "https://host:80/a@b")
    environment = {"A": "1", "HF_TOKEN": "2", "B_KEY": "3"}
    assert without_secrets(environment) == {"A": "1"}
    assert without_secrets(environment, ["HF_TOKEN"]) == {"A": "1", "HF_TOKEN": "2"}


@pytest.mark.slow
def test_programs_get_no_secrets_but_those_that_are_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_123")
    monkeypatch.setenv("OTHER_SECRET", "x")
    path = tmp_path / "program.py"
    path.write_text("import os\nprint(os.environ['HF_TOKEN'], os.environ.get('OTHER_SECRET'))\n")
    with Observer(Limits(seconds=300), passed=["HF_TOKEN"]) as observer:
        assert observer.observe(Program(str(path)), CPU).stdout == "hf_123 None\n"
    path.write_text("import os, torch\nprint(os.environ['HF_TOKEN'], torch.ones(2).cuda())\n")
    with pytest.raises(SystemExit):
        main(["verify", "--isolated", "--on", "cpu", str(path)])
    said = capsys.readouterr().out
    assert "needs a variable that is withheld because it looks like a secret: --pass-env HF_TOKEN" in said


TOLD_OF_A_DRIVER = """
import os, sys
from devlint.verify import namespaces, sandbox
namespaces._DRIVERS = ("/dev/null",)
assert namespaces.cuda_writes_to_proc()
if {namespaces}:
    namespaces.separate([{folder!r}], False)
sandbox.confine([{folder!r}, "/dev"], ("/proc",))
with open("/proc/thread-self/comm", "w") as name:
    name.write("cuda00001")
print(open("/proc/thread-self/comm").read())
for path in ("/proc/sys/kernel/printk", "/proc/sysrq-trigger", "/proc/new"):
    try:
        os.close(os.open(path, os.O_WRONLY | (os.O_CREAT if path == "/proc/new" else 0)))
        print(path, "is writable")
    except OSError:
        pass
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
@pytest.mark.parametrize("namespaces", [pytest.param(True, marks=separates), False])
def test_where_cuda_may_be_used_it_can_name_its_threads(tmp_path: Path, namespaces: bool) -> None:
    script = TOLD_OF_A_DRIVER.format(namespaces=namespaces, folder=str(tmp_path))
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    written = run.stdout.splitlines()
    assert written[:2] == ["cuda00001", ""], run.stderr
    # Outside namespaces, who owns the whole computer may do what he may always.
    assert not namespaces or written[2:] == []
