"""Runs the steps of .github/actions, .github/templates and our own workflow as scripts, as their systems would, and asserts the results.

python3 tests/continuous/steps.py BINARIES SCRATCH: the folder with `aclsan`, `libaclsan.so` and `simulator/`; a folder to fill.
Needs a reader of YAML (PyYAML or ruamel.yaml); exits with 77 where there is none. Nothing is asked of a network: `cargo` and `pip` are
stand-ins that put BINARIES where they would, and actions of others are noted with what they are given.
"""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

try:
    from systems import GitHub, gitlab, jenkins
except ImportError as error:
    print(f"there is no reader of YAML ({error}): pip install ruamel.yaml")
    sys.exit(77)
from job import ROOT, Failed, Job

VERSION = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]
BINARIES, SCRATCH = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])

# Compiler flag, exit code, and reported lines; `None` if there is nothing to report.
CASES = {
    "clean": ("", 0, []),
    "leak": ("-DLEAK", 1, [("app.c", 7)]),
    "dies": ("-DDIE", 7, []),
    # An unwatched run must not look clean.
    "idle": ("-DIDLE", 3, None),
}


def same(name, got, wanted):
    assert got == wanted, f"{name}: {got!r}, not {wanted!r}"


def code_of(run, *arguments):
    try:
        run(*arguments)
    except Failed as failure:
        return failure.code
    return 0


def sarif_lines(file):
    (run,) = json.loads(file.read_text())["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    return [(place["artifactLocation"]["uri"], place["region"]["startLine"]) for place in places]


def quality_lines(file):
    places = [one["location"] for one in json.loads(file.read_text())]
    return [(place["path"], place["lines"]["begin"]) for place in places]


def failures(file):
    return len(xml.parse(file).getroot().findall(".//failure"))


def pinned(job):
    """The only thing that is installed is one wheel, by its version."""
    (line,) = job.called.read_text().splitlines()
    same("installed", (line.split()[:2], line.split()[-1]), (["pip", "install"], f"aclsan=={VERSION}"))


def on_github(job, lines):
    code = code_of(job.one, "templates/github.yml", "aclsan")
    pinned(job)
    used = [name.split("@")[0] for name, _ in job.uses]
    same("others", used, ["actions/checkout", "actions/cache", "github/codeql-action/upload-sarif", "actions/upload-artifact"])
    (key,) = [given["key"] for _, given in job.uses if "key" in given]
    same("key of the cache", key, f"aclsan-Linux-X64-{VERSION}")
    (sarif,) = [given["sarif_file"] for _, given in job.uses if "sarif_file" in given]
    same("SARIF", sarif_lines(job.work / sarif), lines or [])
    if lines is not None:
        annotated = re.findall(r"^::error file=(\S+?),line=(\d+),", job.said, re.MULTILINE)
        same("annotations", [(file, int(line)) for file, line in annotated], lines)
        assert "<!doctype html>" in job.file("report.html").read_text().lower()
    summary = job.summary.read_text()
    assert f"The check {'passed' if lines == [] else 'failed'}" in summary, summary
    return code


def on_gitlab(job, lines):
    code = code_of(gitlab, job)
    pinned(job)
    same("code quality", quality_lines(job.file("quality.json")), lines or [])
    return code


def on_jenkins(job, lines):
    code = code_of(jenkins, job)
    pinned(job)
    same("SARIF", sarif_lines(job.file("aclsan.sarif")), lines or [])
    return code


def actions_of_our_own(edit):
    """The job of our workflow that runs our actions on our programs, after an edit of it."""
    job = GitHub(SCRATCH / "ours", BINARIES)
    (job.work / "tests").symlink_to(ROOT / "tests")
    return code_of(job.one, "workflows/ci.yml", "actions", edit)


def one_action_after_another():
    """Exit codes of our action on a program that leaks, and then in the same folder on an unwatched one."""
    job = GitHub(SCRATCH / "twice", BINARIES, "-DLEAK")
    job.path.insert(0, str(BINARIES))
    job.shell("make app")
    check = job.actions / ".github/actions/check"
    return [code_of(job.action, check, {"run": run}) for run in ("./app", "true")]


for name, system, run in (("github", GitHub, on_github), ("gitlab", Job, on_gitlab), ("jenkins", Job, on_jenkins)):
    for case, (define, code, lines) in CASES.items():
        job = system(SCRATCH / f"{name}-{case}", BINARIES, define)
        try:
            same("exit code", run(job, lines), code)
            for use, path in job.uses:
                assert use != "artifact" or (job.work / path).is_file(), f"{path} was not written"
            # An exceeded budget and an unwatched run are failures, too.
            same("JUnit", failures(job.file("aclsan.xml")), {0: 0, 7: 0}.get(code, 1))
        except Exception:
            print(f"{name}, {case}:\n{job.said}")
            raise
        print(f"{name}, {case}: exit code {code}")

same("our actions", actions_of_our_own(lambda text: text), 0)
# Without the planted leak the job fails, so its assertions are effective.
same("our actions without the leak", actions_of_our_own(lambda text: text.replace("run: ./leak\n", "run: ./leak_silent\n")), 1)
print("our own actions on our own programs: a planted leak fails, its look-alike passes")
same("the action twice", one_action_after_another(), [1, 3])
print("our action judges no log of a step before")
