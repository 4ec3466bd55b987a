"""The kinds of packages, each made from a stage: the same bytes from the same stage."""
import base64
import gzip
import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import time
import zipfile
from pathlib import Path

import build
import staged
import third_party

SUMMARY = "Finds memory mistakes and leaks in programs that use Ascend NPU memory"
LICENCE = "MIT OR Apache-2.0"
# Their libstdc++ is newer than that of manylinux2014.
NOT_IN_WHEELS = ("libmatrixdaemon.so", "libfmk_onnx_parser.so")
TOOLS = {"deb": "dpkg-deb", "rpm": "rpmbuild"}


def lacks(kind):
    tool = TOOLS.get(kind)
    return None if tool is None or shutil.which(tool) else f"there is no {tool}"


def make(kind, stage, target, out):
    """The path of the package."""
    return {"tar": tarball, "wheel": wheel, "deb": deb, "rpm": rpm}[kind](stage, target, out)


def tarball(stage, target, out):
    name = f"aclsan-{build.version()}"
    path = out / f"{name}-{target.architecture}-linux.tar.gz"
    with path.open("wb") as file, gzip.GzipFile("", "wb", 6, file, build.epoch()) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for each in staged.files(stage):
                entry = tarfile.TarInfo(f"{name}/{each.relative_to(stage)}")
                entry.size, entry.mtime = each.stat().st_size, build.epoch()
                entry.mode = each.stat().st_mode & 0o777
                entry.uname = entry.gname = "root"
                archive.addfile(entry, io.BytesIO(each.read_bytes()))
    return path


def wheel(stage, target, out):
    """A wheel with the command in `bin`, the rest in `lib/aclsan` of the environment, and `aclsan.py` as a module."""
    version = build.version()
    tag = f"py3-none-manylinux_2_17_{target.architecture}.manylinux2014_{target.architecture}"
    path = out / f"aclsan-{version}-{tag}.whl"
    about, data = f"aclsan-{version}.dist-info", f"aclsan-{version}.data"
    readme = (build.ROOT / "README.md").read_text()
    licences = [each.name for each in staged.files(stage / "share/doc/aclsan") if each.name.startswith(("LICENSE", "THIRD-PARTY", "RUST-LIBRARY"))]
    content = {
        "aclsan.py": (stage / "lib/aclsan/include/aclsan.py").read_bytes(),
        f"{about}/METADATA": (
            f"Metadata-Version: 2.4\nName: aclsan\nVersion: {version}\nSummary: {SUMMARY}\nLicense-Expression: {LICENCE}\n"
            + "".join(f"License-File: {name}\n" for name in licences)
            + f"Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{readme}"
        ).encode(),
        f"{about}/WHEEL": (
            "Wheel-Version: 1.0\nGenerator: aclsan\nRoot-Is-Purelib: false\n"
            + "".join(f"Tag: py3-none-{platform}\n" for platform in tag.split("-")[-1].split("."))
        ).encode(),
    }
    for each in staged.files(stage):
        name = each.relative_to(stage)
        match name.parts[0]:
            case "bin":
                content[f"{data}/scripts/{name.name}"] = each.read_bytes()
            case "lib" if name.name not in NOT_IN_WHEELS:
                content[f"{data}/data/{name}"] = each.read_bytes()
            case "share" if name.name in licences:
                content[f"{about}/licenses/{name.name}"] = each.read_bytes()
            case "share" if str(name) in staged.COMPLETIONS.values() or name.parts[1] == "man":
                content[f"{data}/data/{name}"] = each.read_bytes()
    digest = lambda text: base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
    record = "".join(f"{name},sha256={digest(text)},{len(text)}\n" for name, text in sorted(content.items()))
    content[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    # Zip has no times before 1980.
    when = time.gmtime(max(build.epoch(), 315532800))[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, text in content.items():
            entry = zipfile.ZipInfo(name, when)
            is_program = "/scripts/" in name or name.endswith("simulator/demo")
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)
    return path


def deb(stage, target, out):
    path = out / f"aclsan_{build.version()}_{target.debian}.deb"
    root = stage.with_name(stage.name + "-deb")
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(stage, root / "usr")
    licences = [(stage / "share/doc/aclsan" / name).read_text() for name in ("LICENSE-MIT", "LICENSE-APACHE", third_party.NAME)]
    (root / "usr/share/doc/aclsan/copyright").write_text(f"License: {LICENCE}\n\n" + "\n".join(licences))
    # Debian's zsh searches a different folder than upstream zsh.
    (root / "usr/share/zsh/site-functions").rename(root / "usr/share/zsh/vendor-completions")
    size = sum(each.stat().st_size for each in staged.files(root)) // 1024
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN/control").write_text(
        f"Package: aclsan\nVersion: {build.version()}\nArchitecture: {target.debian}\nMaintainer: aclsan contributors <contributors@aclsan.invalid>\n"
        f"Installed-Size: {size}\nDepends: libc6 (>= 2.17), libgcc-s1 | libgcc1\nRecommends: libstdc++6 (>= 7)\nSection: devel\n"
        f"Priority: optional\nDescription: {SUMMARY}\n A preloaded library watches a program's calls of AscendCL; a command turns what it saw\n"
        " into findings, reports and a verdict for CI. With a simulator that needs no NPU.\n"
    )
    for each in [*root.rglob("*"), root]:
        if each.is_dir():
            each.chmod(0o755)
        os.utime(each, (build.epoch(), build.epoch()))
    # gzip: xz output depends on the number of processors.
    command = ["dpkg-deb", "--root-owner-group", "-Zgzip", "-z6", "--build", root, path]
    variables = {**os.environ, "SOURCE_DATE_EPOCH": str(build.epoch())}
    subprocess.run(command, env=variables, check=True, stdout=subprocess.DEVNULL)
    return path


def rpm(stage, target, out):
    path = out / f"aclsan-{build.version()}-1.{target.architecture}.rpm"
    work = stage.with_name(stage.name + "-rpm")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    listed = "".join(f'"/usr/{each.relative_to(stage)}"\n' for each in staged.files(stage))
    spec = work / "aclsan.spec"
    spec.write_text(
        f"Name: aclsan\nVersion: {build.version()}\nRelease: 1\nSummary: {SUMMARY}\nLicense: {LICENCE}\nAutoReqProv: no\n"
        "Requires: glibc >= 2.17\nRequires: libgcc\nRecommends: libstdc++ >= 7\n%description\n"
        "A preloaded library watches a program's calls of AscendCL; a command turns what it saw into findings, reports and a verdict for CI.\n"
        f"%install\nmkdir -p %{{buildroot}}/usr\ncp -a '{stage}'/. %{{buildroot}}/usr/\n%files\n{listed}"
    )
    settings = {
        "_topdir": work, "_buildhost": "localhost", "use_source_date_epoch_as_buildtime": 1, "clamp_mtime_to_source_date_epoch": 1,
        "source_date_epoch_from_changelog": 0, "_build_id_links": "none", "debug_package": "%{nil}", "__os_install_post": "%{nil}",
        "_binary_payload": "w6.gzdio", "_build_name_fmt": "%%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm", "_rpmdir": work / "RPMS",
        "vendor": "%{nil}", "packager": "%{nil}",
    }  # fmt: skip
    command = ["rpmbuild", "-bb", "--quiet", "--target", f"{target.architecture}-linux"]
    for name, value in settings.items():
        command += ["--define", f"{name} {value}"]
    variables = {**os.environ, "SOURCE_DATE_EPOCH": str(build.epoch())}
    done = subprocess.run([*command, spec], env=variables, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"rpmbuild failed:\n{done.stderr}")
    shutil.copyfile(work / "RPMS" / path.name, path)
    return path
