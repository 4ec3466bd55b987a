"""A checkout of a small program, mocks of the tools that a job would fetch, and a shell in it."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# One line allocates, and the word LEAK, DIE or IDLE on the compiler's command line makes it one of the cases.
PROGRAM = """#include "acl/acl.h"
int main(void) {
#ifndef IDLE
    void *block;
    aclInit(0);
    aclrtSetDevice(0);
    aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST); /* line 7 */
#ifndef LEAK
    aclrtFree(block);
#endif
    aclrtResetDevice(0);
    aclFinalize();
#endif
#ifdef DIE
    return 7;
#endif
    return 0;
}
"""
MAKEFILE = """app: app.c
\tcc -g %s -I"$(shell aclsan simulator --includedir)" app.c -L"$(shell aclsan simulator --libdir)" -lascendcl -o app
"""
CARGO = """#!/bin/sh
# A fast build: links earlier build outputs to where this build would put them. Other commands go to cargo.
[ "$1" = build ] || exec REAL_CARGO "$@"
echo "cargo $*" >>"$STAND_INS"
target= triple= profile=release
while [ $# -gt 0 ]; do
    case $1 in
    --manifest-path) [ -f "$2" ] || exit 1; [ -n "$target" ] || target=$(dirname "$2")/target; shift ;;
    --target-dir) target=$2; shift ;;
    --target) triple=$2; shift ;;
    --profile) profile=$2; shift ;;
    esac
    shift
done
folder=$target/${triple:+$triple/}$profile
mkdir -p "$folder"
for file in aclsan libaclsan.so libaclsan_free.so simulator include share; do ln -sfn BINARIES/$file "$folder/$file"; done
"""
PYTHON = """#!/bin/sh
# An environment whose `pip install` is fast: it links earlier build outputs to where the wheel would have them. Other arguments go to Python.
[ "$1 $2" = "-m venv" ] || exec REAL "$@"
mkdir -p "$3/bin" && cat >"$3/bin/pip" <<END
#!/bin/sh
echo "pip \\$*" >>"$STAND_INS"
ln -sf BINARIES/aclsan "\\$(dirname "\\$0")/"
END
chmod +x "$3/bin/pip"
"""


class Failed(Exception):
    """A step ended with a nonzero exit code."""

    def __init__(self, code):
        super().__init__(f"exit code {code}")
        self.code = code


class Job:
    """A checkout of a program, and the outputs of its job."""

    def __init__(self, scratch, binaries, define):
        self.folder, self.binaries = scratch, binaries
        shutil.rmtree(self.folder, ignore_errors=True)
        self.work = self.folder / "work"
        stand_ins = self.folder / "stand-ins"
        for folder in (self.work, stand_ins):
            folder.mkdir(parents=True)
        (self.work / "app.c").write_text(PROGRAM)
        (self.work / "Makefile").write_text(MAKEFILE % define)
        for tool, text in (("cargo", CARGO), ("python3", PYTHON)):
            text = text.replace("BINARIES", f"'{binaries}'").replace("REAL_CARGO", f"'{shutil.which('cargo')}'").replace("REAL", f"'{sys.executable}'")
            (stand_ins / tool).write_text(text)
            (stand_ins / tool).chmod(0o755)
        self.path = [str(stand_ins), os.environ["PATH"]]
        self.called = self.folder / "called"
        self.said = ""
        self.uses = []

    def shell(self, script, shell=("bash", "--noprofile", "--norc", "-eo", "pipefail"), **variables):
        """Runs a script; raises Failed with its exit code."""
        keep = {name: value for name, value in os.environ.items() if not re.match("ACLSAN|GITHUB|CI|WORKSPACE|LD_", name)}
        keep |= {"PATH": ":".join(self.path), "STAND_INS": str(self.called)} | variables
        file = self.folder / "script"
        file.write_text(script)
        done = subprocess.run([*shell, file], cwd=self.work, env=keep, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said += done.stdout
        if done.returncode != 0:
            raise Failed(done.returncode)

    def file(self, name):
        return self.work / "aclsan" / name
