"""The licenses of third-party code linked into the command and the shims, with the texts as their authors published them."""
import json
import os
import re
import subprocess
from collections import defaultdict
from pathlib import Path

import build

NAME = "THIRD-PARTY.txt"
LINKED = ("aclsan", "aclsan-shim", "aclsan-free")
NOTICE = re.compile(r"(licen[cs]e|copying|unlicense|copyright|notice)", re.I)
# C code bundled in crates.
BUNDLED = {
    "zstd-sys": ("Zstandard", "BSD-3-Clause", "zstd/LICENSE"),
    "libsqlite3-sys": ("SQLite", "public domain", None),
}
# The standard library's notices are in one file, from rustup or Debian.
STANDARD = ("share/doc/rust/COPYRIGHT-library.html", "../../share/doc/rustc-web/copyright", "share/doc/rustc-web/copyright", "share/doc/rustc/copyright")
RULE = "-" * 78


def run(cargo, *arguments):
    variables = {name: value for name, value in os.environ.items() if name not in ("CARGO", "RUSTC")}
    command = [cargo, *arguments, "--locked"]
    return subprocess.run(command, cwd=build.ROOT, env=variables, check=True, capture_output=True, text=True).stdout


def crates(target):
    """Cargo's metadata of each crate linked for this target, without build scripts and macros."""
    tree = ["tree", "--prefix=none", "--format={p}", "--edges=normal,no-proc-macro", "--target", target.triple]
    for package in LINKED:
        tree += ["-p", package]
    linked = {tuple(line.split()[:2]) for line in run(target.cargo, *tree).splitlines() if line}
    packages = json.loads(run(target.cargo, "metadata", "--format-version=1"))["packages"]
    for package in sorted(packages, key=lambda each: (each["name"], each["version"])):
        # Packages without a source are our own.
        if package["source"] and (package["name"], "v" + package["version"]) in linked:
            yield package


def notices(folder):
    """The relevant files: the MIT license if there is a choice, and any files that name the authors."""
    every = sorted(each for each in folder.iterdir() if each.is_file() and NOTICE.match(each.name))
    permissive = [each for each in every if "MIT" in each.name]
    return permissive + [each for each in every if re.match("copyright|notice", each.name, re.I)] if permissive else every


def declared(package):
    """The MIT text, for a package that offers that license and names its authors without a copy. The text is that of our own copy."""
    offered = re.split(r" OR |/", package["license"] or "")
    if "MIT" not in offered or not package["authors"]:
        raise SystemExit(f"{package['name']} {package['version']} is linked, and its package holds no licence")
    ours = (build.ROOT / "LICENSE-MIT").read_text()
    return re.sub(r"^Copyright .*$", f"Copyright (c) {', '.join(package['authors'])}", ours, count=1, flags=re.M).strip()


def standard(target):
    """The notices of the standard library that this target's compiler links, if they are installed."""
    root = Path(subprocess.run([target.rustc, "--print", "sysroot"], cwd=build.ROOT, check=True, capture_output=True, text=True).stdout.strip())
    return next((root / place for place in STANDARD if (root / place).is_file()), None)


def text(target):
    """The complete text: a list of linked crates, then each license text once, below the names of its crates."""
    listed, owners = [], defaultdict(list)
    for package in crates(target):
        folder, name, version = Path(package["manifest_path"]).parent, package["name"], package["version"]
        licence, source = package["license"], package["repository"]
        found = {each.read_text(errors="replace").strip() for each in notices(folder)} or {declared(package)}
        listed.append(f"{name} {version}: {licence}" + (f"; {source}" if source else ""))
        for each in sorted(found):
            owners[each].append(f"{name} {version}")
        if name in BUNDLED:
            what, licence, file = BUNDLED[name]
            listed.append(f"{what}, in {name} {version}: {licence}")
            if file:
                owners[(folder / file).read_text().strip()].append(what)
    beginning = (
        "aclsan is under MIT or Apache-2.0, at your choice: LICENSE-MIT, LICENSE-APACHE. Its command and its libraries hold code of\n"
        "others, unchanged, as `cargo` has it: `cargo info NAME@VERSION` tells where its source is, as the address here does.\n"
        "Where others offer a choice of licences with MIT in it, it is taken under MIT.\n"
    )
    notes = "its notices are in RUST-LIBRARY" if standard(target) else "at your choice"
    listed.append(f"The Rust Standard Library, (c) The Rust Project Developers: MIT OR Apache-2.0; {notes}")
    parts = [beginning, "\n".join(listed) + "\n"]
    for each, names in sorted(owners.items(), key=lambda pair: pair[1]):
        parts.append(f"{RULE}\n{', '.join(names)}\n{RULE}\n\n{each}\n")
    return "\n".join(parts)


def fill(folder, target):
    """Writes both files."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / NAME).write_text(text(target))
    if found := standard(target):
        (folder / ("RUST-LIBRARY" + (found.suffix or ".txt"))).write_bytes(found.read_bytes())
