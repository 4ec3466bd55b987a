"""The file tree of every package: the layout below a prefix, where the command looks for its files."""
import os
import shutil
import subprocess
from pathlib import Path

import build
import third_party

# Each shell's completion folder below a prefix.
COMPLETIONS = {
    "bash": "share/bash-completion/completions/aclsan",
    "zsh": "share/zsh/site-functions/_aclsan",
    "fish": "share/fish/vendor_completions.d/aclsan.fish",
}


def is_elf(path):
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def fill(stage, built, target):
    """Copies the build from `built` into the layout, with machine-independent modes and times, and debug information only for the demo."""
    library = stage / "lib/aclsan"
    place(built / "aclsan", stage / "bin/aclsan")
    (stage / "bin/aclsan").chmod(0o755)
    for file in ("libaclsan.so", "libaclsan_free.so"):
        place(built / file, library / file)
    shutil.copytree(built / "simulator", library / "simulator", ignore=shutil.ignore_patterns("*.installing"))
    shutil.copytree(built / "include", library / "include", ignore=shutil.ignore_patterns("*.installing", "__pycache__"))
    for each in files(built / "share"):
        text = each.read_text().replace("root=${pcfiledir}/../..\n", "root=${pcfiledir}/../../lib/aclsan\n")
        (stage / "share" / each.relative_to(built / "share")).parent.mkdir(parents=True, exist_ok=True)
        (stage / "share" / each.relative_to(built / "share")).write_text(text)
    for file in ("README.md", "README.zh.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"):
        place(build.ROOT / file, stage / "share/doc/aclsan" / file)
    third_party.fill(stage / "share/doc/aclsan", target)
    for shell, path in COMPLETIONS.items():
        script = subprocess.run([*target.runs(stage / "bin/aclsan"), "completions", shell], check=True, capture_output=True)
        (stage / path).parent.mkdir(parents=True)
        (stage / path).write_bytes(script.stdout)
    subprocess.run([*target.runs(stage / "bin/aclsan"), "pages", "man", stage / "share/man"], check=True)
    programs = [stage / "bin/aclsan", library / "simulator/demo"]
    for path in files(stage):
        # The demo is built for readable stacks, and the simulator's own functions are named in them, too.
        if is_elf(path) and path.name != "demo":
            is_ours = library / "simulator" not in path.parents
            subprocess.run([target.prefix + "strip", "--strip-unneeded" if is_ours else "--strip-debug", path], check=True)
        path.chmod(0o755 if path in programs else 0o644)
    for path in [*stage.rglob("*"), stage]:
        if path.is_dir():
            path.chmod(0o755)
        os.utime(path, (build.epoch(), build.epoch()))


def place(source, to):
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, to)


def files(stage):
    """Every file, in an order that does not depend on the machine."""
    return sorted(path for path in Path(stage).rglob("*") if path.is_file())
