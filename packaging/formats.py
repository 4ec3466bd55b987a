"""The kinds of packages, each made from a stage by its ecosystem's tool: the same bytes from the same stage."""
import gzip
import io
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import build
import staged

# Their libstdc++ is newer than that of manylinux2014.
NOT_IN_WHEELS = ("libmatrixdaemon.so", "libfmk_onnx_parser.so")
TOOLS = {"wheel": "maturin", "deb": "cargo-deb", "rpm": "cargo-generate-rpm"}
HERE = Path(__file__).resolve().parent
# For packages that are only tried.
IS_FAST = os.environ.get("PACKAGE_COMPRESSION") == "fast"
LEVEL = 1 if IS_FAST else 9


def tool(kind):
    """The path of the program that makes this kind, installed if necessary; `None` if it cannot be had."""
    done = subprocess.run([HERE / "tools", TOOLS[kind]], capture_output=True, text=True)
    return Path(done.stdout.strip()) / TOOLS[kind] if done.returncode == 0 else None


def lacks(kind):
    return None if kind not in TOOLS or tool(kind) else f"{TOOLS[kind]} is not installed, and could not be"


def make(kind, stage, target, out):
    """The path of the package."""
    return {"tar": tarball, "wheel": wheel, "deb": deb, "rpm": rpm}[kind](stage, target, out)


def run(command, folder, **variables):
    variables = {**os.environ, "SOURCE_DATE_EPOCH": str(build.epoch()), **{name: str(value) for name, value in variables.items()}}
    done = subprocess.run([str(each) for each in command], cwd=folder, env=variables, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command[0]} failed:\n{done.stdout}{done.stderr}")


def tarball(stage, target, out):
    # Not a tool's: `tar` and `gzip` differ between machines in what they write.
    name = f"aclsan-{build.version()}"
    path = out / f"{name}-{target.architecture}-linux.tar.gz"
    # Layouts of the simulator share libraries. gzip looks back 32 KB and cannot see that; a hard link is enough.
    names = {}
    with path.open("wb") as file, gzip.GzipFile("", "wb", LEVEL, file, build.epoch()) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for each in staged.files(stage):
                entry = tarfile.TarInfo(f"{name}/{each.relative_to(stage)}")
                entry.size, entry.mtime = each.stat().st_size, build.epoch()
                entry.mode = each.stat().st_mode & 0o777
                entry.uname = entry.gname = "root"
                contents = each.read_bytes()
                first = names.setdefault((contents, entry.mode), entry.name)
                if first != entry.name:
                    entry.type, entry.linkname, entry.size = tarfile.LNKTYPE, first, 0
                archive.addfile(entry, io.BytesIO(contents) if entry.isreg() else None)
    return path


def wheel(stage, target, out):
    """A wheel with the command in `bin`, the rest in `lib/aclsan` of the environment, and the package `aclsan`, which is `aclsan.py`."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        wheel_project(project, stage)
        options = ["--release", "--locked", "--target", target.triple, "--compatibility", "manylinux2014", "--compression-level", LEVEL]
        variables = {"CARGO": HERE / "wheel/cargo", "BUILT": stage / "bin/aclsan", "ROOT": build.ROOT}
        run([tool("wheel"), "build", *options, "--out", project / "made"], project, **variables)
        (made,) = (project / "made").glob("*.whl")
        return Path(shutil.copy(made, out))


def wheel_project(project, stage):
    """Fills the folder of a Python project that maturin builds."""
    package = project / "python/aclsan"
    shutil.copytree(HERE / "wheel/aclsan", package, ignore=shutil.ignore_patterns("__pycache__"))
    for suffix in ("py", "pyi"):
        shutil.copyfile(stage / f"lib/aclsan/include/aclsan.{suffix}", package / f"__init__.{suffix}")
        shutil.copyfile(stage / f"lib/aclsan/include/aclsan_parts/torch.{suffix}", package / f"torch.{suffix}")
    for each in staged.files(stage / "share/doc/aclsan"):
        shutil.copyfile(each, project / each.name)
    # On PyPI, a link within the repository leads nowhere.
    page = re.sub(r"\]\((?!https?:|#)", f"]({build.manifest('repository')}/blob/v{build.version()}/", (project / "README.md").read_text())
    (project / "README.md").write_text(page)
    for folder in ("lib", "share"):
        shutil.copytree(stage / folder, project / "data/data" / folder, ignore=shutil.ignore_patterns("doc", *NOT_IN_WHEELS))
    manifest = (HERE / "wheel/pyproject.toml").read_text()
    manifest = manifest.replace('manifest-path = "analyzer/Cargo.toml"', f'manifest-path = "{build.ROOT}/analyzer/Cargo.toml"')
    (project / "pyproject.toml").write_text(manifest)


def deb(stage, target, out):
    path = out / f"aclsan_{build.version()}_{target.debian}.deb"
    options = ["--package", "aclsan", "--target", target.triple, "--no-build", "--no-strip", "--quiet", "--output", path]
    options += ["--fast"] if IS_FAST else []
    run([tool("deb"), *options], build.ROOT, CARGO_TARGET_DIR=stage.parents[2])
    return path


def rpm(stage, target, out):
    path = out / f"aclsan-{build.version()}-1.{target.architecture}.rpm"
    # rpm of CentOS 7 does not read its default, Zstandard.
    compression = "gzip" if IS_FAST else "xz"
    options = ["--package", "analyzer", "--target", target.triple, "--target-dir", stage.parents[2], "--payload-compress", compression, "--output", path]
    run([tool("rpm"), *options], build.ROOT)
    return path
