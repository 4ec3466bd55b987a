"""Runs the steps of .github/workflows/release.yml as scripts, for a tag: a release without publishing anything.

python3 tests/continuous/release.py BINARIES SCRATCH: a folder with `aclsan`, `libaclsan.so`, `simulator/`; a folder to fill. Exits with 77 where
there is no reader of YAML, and with 3 where a packaging tool is missing. `cargo build` is a stand-in that puts BINARIES where a build would, `gh`
one that notes its arguments; everything else is real.
"""

import hashlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys

try:
    from systems import GitHub
except ImportError as error:
    print(f"there is no reader of YAML ({error}): pip install ruamel.yaml")
    sys.exit(77)
from job import ROOT, Failed

BINARIES, SCRATCH = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
VERSION = subprocess.check_output([sys.executable, "-B", "-c", "import build; print(build.version())"], cwd=ROOT / "packaging", text=True).strip()
WORKFLOW, TAG, MACHINE = "workflows/release.yml", f"v{VERSION}", platform.machine()
GH = """#!/bin/sh
printf '%s\\n' "$@" >"$STAND_INS.gh"
"""


def release(tag):
    """A job in a checkout, for a tag."""
    job = GitHub(SCRATCH, BINARIES)
    shutil.rmtree(job.work)
    subprocess.run(["git", "clone", "--quiet", ROOT, job.work], check=True)
    (job.folder / "stand-ins/gh").write_text(GH)
    (job.folder / "stand-ins/gh").chmod(0o755)
    # `packaging/try` makes environments of its own.
    (job.folder / "stand-ins/python3").unlink()
    job.context = {
        "github": {"ref_type": "tag", "ref_name": tag, "token": "a token"},
        "matrix": {"architecture": MACHINE, "runner": "a runner"},
    }
    return job


def refused(tag):
    job = release(tag)
    try:
        job.one(WORKFLOW, "packages")
    except Failed:
        return job.said
    raise AssertionError(f"a release by the tag {tag}")


# The stand-in builds with another profile.
os.environ["PACKAGE_LIMITS"] = "off"
said = refused("v9.9.9")
assert f"the tag must be `{TAG}`" in said, said
print("a tag that is not the version's: refused")

job = release(TAG)
try:
    job.one(WORKFLOW, "packages")
except Failed as failure:
    print(job.said)
    sys.exit(3 if failure.code == 3 else 1)
packages = job.work / "packages"
debian = {"x86_64": "amd64", "aarch64": "arm64"}[MACHINE]
names = {each.name for each in packages.iterdir()}
expected = [f"aclsan-{VERSION}-{MACHINE}-linux.tar.gz", f"aclsan_{VERSION}_{debian}.deb", f"aclsan-{VERSION}-1.{MACHINE}.rpm", f"aclsan-{MACHINE}.cdx.json"]
missing = [name for name in expected if name not in names]
wheels = [name for name in names if name.endswith(f"{MACHINE}.whl") or f"manylinux2014_{MACHINE}" in name]
assert not missing and len(wheels) == 1, (missing, names)
assert "4 packages, each from an empty root" in job.said, job.said
for name in ("aclsan", "aclsan-shim", "aclsan-free"):
    bill = json.loads((packages / f"{name}-{MACHINE}.cdx.json").read_text())
    assert bill["metadata"]["component"]["version"] == VERSION and bill["components"], name
print(f"packages: {', '.join(sorted(names))}")

job.one(WORKFLOW, "release")
for line in (packages / "SHA256SUMS").read_text().splitlines():
    digest, name = line.split("  ")
    assert hashlib.sha256((packages / name).read_bytes()).hexdigest() == digest, name
    names.remove(name)
assert not names, f"without a checksum: {names}"
arguments = pathlib.Path(f"{job.called}.gh").read_text().splitlines()
assert arguments[:3] == ["release", "create", TAG], arguments
assert len([each for each in arguments if each.startswith("packages/")]) == len(list(packages.iterdir())), arguments
notes = (job.work / "notes.md").read_text()
assert notes.startswith("### ") and "\n## " not in notes, notes
(attested,) = [given for name, given in job.uses if name.startswith("actions/attest-build-provenance@")]
assert attested == {"subject-path": "packages/*"}, attested
print(f"release: {len(arguments)} arguments of gh, {len(notes.splitlines())} lines of notes")

job.one(WORKFLOW, "pypi")
assert [each.name for each in (job.work / "wheels").iterdir()] == wheels
(published,) = [given for name, given in job.uses if name.startswith("pypa/gh-action-pypi-publish@")]
assert published == {"packages-dir": "wheels"}, published
print(f"PyPI: {wheels[0]}")
