"""Several threads, several processes, and many loads."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import change, plan_text

import objchange


def summary(text: str) -> str:
    return objchange.loads(text).summary()


TEXT = plan_text(*(change(f"disk.d{i}", ["create"], None, {"size": i, "tags": {"a": "b"}}) for i in range(50)))


def test_threads_share_a_plan() -> None:
    plan = objchange.Plan.load(TEXT.encode())
    with ThreadPoolExecutor(8) as pool:
        sizes = list(pool.map(lambda i: plan.changes[i % 50].after["size"], range(400)))
        pages = set(pool.map(lambda _: plan.text(), range(16)))
    assert sizes == [i % 50 for i in range(400)] and len(pages) == 1


def test_other_threads_run_while_a_plan_is_read() -> None:
    """Else this would never end: the thread that reads waits for one that only runs meanwhile."""
    started, may_end = threading.Event(), threading.Event()

    class Source:
        def read(self) -> str:
            started.set()
            assert may_end.wait(60)
            return TEXT

    with ThreadPoolExecutor(1) as pool:
        loading = pool.submit(objchange.load, Source())
        assert started.wait(60)
        may_end.set()
        assert isinstance(loading.result(60), objchange.Plan)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    expected = summary(TEXT)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(summary, [TEXT] * 4) == [expected] * 4


def test_memory_is_flat_over_many_loads() -> None:
    resource = pytest.importorskip("resource")
    text = plan_text(change("disk.a", ["create"], None, {"size": 1, "tags": {"a": "b"}})).encode()

    def loads(count: int) -> None:
        for _ in range(count):
            plan = objchange.Plan.load(text)
            assert plan.changes[0].after["size"] == 1
            with pytest.raises(objchange.DocumentError):
                objchange.loads(b"{")

    loads(5_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    loads(45_000)
    # KiB on Linux; what 90,000 documents of 500 bytes would take is several times that.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8_192


def test_the_program_has_its_exit_codes() -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "objchange._cli", *arguments], capture_output=True, text=True)

    assert run("--version").stdout.splitlines()[0] == f"objchange {objchange.__version__}"
    missing = run("show", "no-such-file")
    assert missing.returncode == 2 and "no-such-file" in missing.stderr
    assert run("eval", "1 + 1").stdout == "2\n"
