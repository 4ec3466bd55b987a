"""Compares log readers: aclsan report, heaptrack_print, memray stats and flamegraph, bytehound.

    cargo build --release -p aclsan-shim -p aclsan && python3 tests/benches/analyzers.py [STEPS]

One workload (workload.c), STEPS allocations and releases, once over the runtime that costs nothing, under the shim, and once over malloc, under each
peer that is installed. The readers take turns, three rounds; medians. What is missing is named and left out. Everything lies in a temporary folder.
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 3
STEPS = sys.argv[1] if len(sys.argv) > 1 else "1000000"
SOURCES = pathlib.Path(__file__).resolve().parent
TARGET = SOURCES.parent.parent / "target" / "release"
EVENTS = 2 * int(STEPS) + 100_000


def build(folder):
    compiler = [os.environ.get("CC", "cc"), "-O2", "-fomit-frame-pointer", "-pthread", "-o"]
    run = lambda *rest: subprocess.run([*compiler, *rest], check=True)
    run(folder / "libascendcl.so", SOURCES / "runtime.c", "-shared", "-fPIC")
    run(folder / "acl", SOURCES / "workload.c", f"-L{folder}", "-lascendcl")
    run(folder / "host", SOURCES / "workload.c", "-DHOST")


def record(folder, program, **environment):
    """Runs the workload, which writes the log for a reader."""
    command = [*program, "pairs", "1", STEPS]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder), **environment}
    subprocess.run(command, env=environment, cwd=folder, check=True, **quiet)


def readers(folder):
    log = folder / "run.aclsan"
    options = f"mode=record:guard=off:quiet=1:log_path='{log}'"
    record(folder, [folder / "acl"], LD_PRELOAD=str(TARGET / "libaclsan.so"), ACLSAN_OPTIONS=options)
    yield "aclsan report", [TARGET / "aclsan", "report", log]
    yield "aclsan leaks", [TARGET / "aclsan", "leaks", log]
    if shutil.which("heaptrack") and shutil.which("heaptrack_print"):
        record(folder, ["heaptrack", "-o", folder / "heaptrack", folder / "host"])
        [data] = folder.glob("heaptrack.*")
        yield "heaptrack_print", ["heaptrack_print", "-f", data]
    else:
        print("left out: heaptrack, which is not installed")
    memray = os.environ.get("MEMRAY") or shutil.which("memray")
    if memray:
        script = folder / "drive.py"
        script.write_text(
            "import ctypes, sys\n"
            "host = ctypes.CDLL(sys.argv[1])\n"
            "words = [b'host', b'pairs', b'1', sys.argv[2].encode()]\n"
            "host.main(len(words), (ctypes.c_char_p * 5)(*words, None))\n"
        )
        library = folder / "libhost.so"
        flags = ["-shared", "-fPIC", "-O2", "-pthread", "-DHOST"]
        subprocess.run([os.environ.get("CC", "cc"), *flags, "-o", library, SOURCES / "workload.c"], check=True)
        data = folder / "run.memray"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([memray, "run", "--native", "-o", data, script, library, STEPS], check=True, **quiet)
        yield "memray stats", [memray, "stats", data]
        yield "memray flamegraph", [memray, "flamegraph", "-f", "-o", folder / "memray.html", data]
    else:
        print("left out: memray, which is not installed (`pip install memray`, or MEMRAY=its path)")
    library = os.environ.get("BYTEHOUND")
    command = library and pathlib.Path(library).with_name("bytehound")
    if library and command.exists():
        data, script = folder / "run.bytehound", folder / "count.rhai"
        # It loads everything before it answers: these are two counts.
        script.write_text("println(allocations().len()); println(allocations().only_leaked().len());\n")
        record(folder, [folder / "host"], LD_PRELOAD=library, MEMORY_PROFILER_OUTPUT=str(data))
        yield "bytehound script", [command, "script", "-d", data, script]
    else:
        print("left out: bytehound, which is not named (BYTEHOUND=path of its libbytehound.so, `bytehound` beside it)")


def read(command):
    """Seconds, processor seconds and MiB of one reading, in a separate process, so that the peak is its own."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execvp(command[0], [str(word) for word in command])
    begun = time.monotonic()
    _, status, took = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{command[0]} failed: {status}")
    return time.monotonic() - begun, took.ru_utime + took.ru_stime, took.ru_maxrss / 1024


with tempfile.TemporaryDirectory(prefix="aclsan-analyzers-") as scratch:
    folder = pathlib.Path(scratch)
    build(folder)
    all_readers = list(readers(folder))
    taken = {name: [] for name, _ in all_readers}
    for _ in range(ROUNDS):
        for name, command in all_readers:
            taken[name].append(read(command))
    print(f"{EVENTS} events, {ROUNDS} rounds, medians; wall clock depends on what else runs")
    print(f"| {'reader':18} | wall s | processor s | M events/s of processor | MiB | processor time, of aclsan report's |")
    print("|---|---|---|---|---|---|")
    ours = statistics.median(cpu for _, cpu, _ in taken["aclsan report"])
    for name, rounds in taken.items():
        wall, cpu, peak = (statistics.median(column) for column in zip(*rounds))
        print(f"| {name:18} | {wall:.2f} | {cpu:.2f} | {EVENTS / cpu / 1e6:.1f} | {peak:.0f} | {cpu / ours:.2f} |")
