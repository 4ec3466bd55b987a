"""The build for packages: the usual one, without paths of this machine in its output."""
import json
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Variables that would change what is built.
OVERRIDES = ("CARGO", "RUSTC", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR")
PACKAGES = ("aclsan-shim", "aclsan-free", "aclsan", "aclsan-tests")


def manifest(key):
    """A value of the workspace's manifest, such as its `version` or `repository`."""
    return re.search(rf'^{key} = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]


def version():
    return manifest("version")


def git(*arguments):
    found = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else ""


def epoch():
    """Time of every file of a package, in seconds since 1970: the commit's, unless the environment sets it."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct") or 0)


def machine():
    return f"{platform.machine()}-unknown-linux-gnu"


class Target:
    def __init__(self, architecture, debian):
        self.architecture, self.debian = architecture, debian
        self.triple = f"{architecture}-unknown-linux-gnu"
        self.is_foreign = self.triple != machine()
        self.prefix = f"{architecture}-linux-gnu-" if self.is_foreign else ""
        # Debian's compiler has standard libraries for other architectures.
        self.cargo, self.rustc = ("/usr/bin/cargo", "/usr/bin/rustc") if self.is_foreign else ("cargo", "rustc")

    def lacks(self):
        """A sentence with the missing requirements of a build."""
        if not self.is_foreign:
            return None if shutil.which("cargo") else "there is no cargo"
        if not shutil.which(self.prefix + "gcc"):
            return f"there is no {self.prefix}gcc"
        if not any(Path(f"/usr/lib/rustlib/{self.triple}/lib").glob("libstd-*.rlib")) or not Path("/usr/bin/cargo").is_file():
            return f"Debian's rustc-web, cargo-web and libstd-rust-web-dev:{self.debian} are not installed"
        if not shutil.which(f"qemu-{self.architecture}"):
            return f"there is no qemu-{self.architecture}, under which the command writes its completions"
        return None

    def runs(self, program):
        """The command that runs a program of this target here."""
        if not self.is_foreign:
            return [program]
        # The loader must come from the same build as libc: an installed foreign libc6 brings its own.
        own = Path(f"/lib/ld-linux-{self.architecture}.so.1").exists()
        return [f"qemu-{self.architecture}", "-L", "/" if own else f"/usr/{self.architecture}-linux-gnu", program]

    def build(self, target_dir, profile):
        """Builds everything and returns the folder of `aclsan`."""
        home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
        # These folder names reveal the registry that a machine uses.
        crates = sorted((home / "registry/src").glob("*"))
        places = [(ROOT, "/aclsan"), *((folder, "/crates") for folder in crates), (target_dir, "/build")]
        variables = {name: value for name, value in os.environ.items() if name not in OVERRIDES}
        # The last match wins: the target folder may be inside the sources.
        remaps = [f"--remap-path-prefix={folder}={name}" for folder, name in places]
        variables["CFLAGS"] = variables["CXXFLAGS"] = " ".join(f"-ffile-prefix-map={folder}={name}" for folder, name in places)
        # Its full-text search and its R-trees, a quarter of SQLite, are of no use here.
        variables["LIBSQLITE3_FLAGS"] = "-USQLITE_ENABLE_FTS3 -USQLITE_ENABLE_FTS5 -USQLITE_ENABLE_RTREE"
        for each in ("DIST", "RELEASE", "DEV"):
            variables[f"CARGO_PROFILE_{each}_STRIP"] = "debuginfo"
        variables["CARGO_INCREMENTAL"] = "0"
        variables["SOURCE_DATE_EPOCH"] = str(epoch())
        variables["ACLSAN_REVISION"] = git("rev-parse", "--short=12", "HEAD")
        if self.is_foreign:
            variables["RUSTC"] = self.rustc
            variables[f"CARGO_TARGET_{self.triple.upper().replace('-', '_')}_LINKER"] = self.prefix + "gcc"
        command = [self.cargo, "build", "--locked", "--profile", profile, "--target", self.triple, "--target-dir", target_dir]
        # Unlike the variable, this adds to what .cargo/config.toml has.
        command += ["--config", f"build.rustflags={json.dumps(remaps)}"]
        for package in PACKAGES:
            command += ["-p", package]
        subprocess.run(command, cwd=ROOT, env=variables, check=True)
        return target_dir / self.triple / ("debug" if profile == "dev" else profile)


TARGETS = {target.triple: target for target in (Target("x86_64", "amd64"), Target("aarch64", "arm64"))}
