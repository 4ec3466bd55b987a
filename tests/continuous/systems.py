"""The script steps of GitHub, GitLab and Jenkins."""

import re
import shutil
import string

import expressions
from job import ROOT, Failed, Job

try:
    from ruamel.yaml import YAML

    parse = YAML(typ="safe").load
except ImportError:
    from yaml import safe_load as parse


class GitHub(Job):
    """A GitHub job: steps, composite actions, expressions."""

    def __init__(self, scratch, binaries, define=""):
        super().__init__(scratch, binaries, define)
        self.actions = self.folder / "actions"
        shutil.copytree(ROOT / ".github/actions", self.actions / ".github/actions")
        shutil.copy(ROOT / "Cargo.toml", self.actions)
        self.summary = self.folder / "summary"
        # What else expressions of a workflow name.
        self.context = {}

    def run(self, steps, context):
        """Runs steps; a failure is raised after the `always()` steps have run."""
        failed = None
        context["steps"] = {}
        for number, step in enumerate(steps):
            identity = step.get("id", f"step {number}")
            condition = step.get("if", "success()")
            context["failed"] = failed is not None
            if "()" not in condition:
                condition = f"success() && ({condition})"
            if not expressions.value(condition, context):
                continue
            result = context["steps"][identity] = {"outputs": {}, "outcome": "success"}
            try:
                result["outputs"] = self.step(step, context)
            except Failed as failure:
                result["outputs"] = getattr(failure, "outputs", {})
                result["outcome"] = "failure"
                if not step.get("continue-on-error"):
                    failed = failed or failure
        if failed:
            raise failed

    def step(self, step, context):
        given = {name: expressions.text(value, context) for name, value in step.get("with", {}).items()}
        if "uses" in step:
            # From this checkout, or by the address and the tag that `tests/scenarios/tidy/address.rs` checks.
            ours = re.fullmatch(r"(?:\.|[\w.-]+/aclsan)/(\.github/actions/\w+)(?:@v[\d.]+)?", step["uses"])
            if not ours:
                self.uses.append((step["uses"], given))
                return {}
            return self.action(self.actions / ours[1], given)
        output, path = self.folder / "output", self.folder / "path"
        for file in (output, path):
            file.write_text("")
        variables = {name: expressions.text(value, context) for name, value in step.get("env", {}).items()}
        variables |= {"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(self.work), "GITHUB_OUTPUT": str(output)}
        variables |= {"GITHUB_PATH": str(path), "GITHUB_STEP_SUMMARY": str(self.summary)}
        assert "${{" not in step["run"] or not context["is_action"], "an expression in a script: what it holds would be run"
        try:
            self.shell(expressions.text(step["run"], context), **variables)
        except Failed as failure:
            failure.outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
            raise
        finally:
            self.path = path.read_text().split("\n")[:-1] + self.path
        return dict(line.split("=", 1) for line in output.read_text().splitlines())

    def action(self, folder, given):
        action = parse((folder / "action.yml").read_text())
        inputs = {}
        for name, about in action["inputs"].items():
            assert name in given or not about.get("required"), f"{folder.name} is not given {name}"
            inputs[name] = given.pop(name, about.get("default", ""))
        assert not given, f"{folder.name} has no {given}"
        runner = {"temp": str(self.folder / "temp"), "os": "Linux", "arch": "X64"}
        context = {"inputs": inputs, "github": {"action_path": str(folder)}, "runner": runner, "is_action": True}
        failed = None
        try:
            self.run(action["runs"]["steps"], context)
        except Failed as failure:
            failed = failure
        outputs = {name: expressions.text(about["value"], context) for name, about in action.get("outputs", {}).items()}
        if failed:
            failed.outputs = outputs
            raise failed
        return outputs

    def one(self, workflow, name, edit=lambda text: text):
        text = edit((ROOT / ".github" / workflow).read_text())
        context = {"is_action": False} | self.context
        self.run(parse(text)["jobs"][name]["steps"], context)


def gitlab(job):
    (memory,) = parse((ROOT / ".github/templates/gitlab-ci.yml").read_text()).values()
    known = {"CI_PROJECT_DIR": str(job.work), "CI": "true"}
    variables = known | {name: string.Template(value).substitute(known) for name, value in memory["variables"].items()}
    # The place of the installation, which is the runner's own.
    lines = lambda *parts: "\n".join(line for part in parts for line in memory[part]).replace("/tmp/aclsan", str(job.folder / "aclsan"))
    try:
        job.shell(lines("before_script", "script"), **variables)
    finally:
        job.shell(lines("after_script"), **variables)
        reports = memory["artifacts"]["reports"].values()
        job.uses = [("artifact", str(report)) for report in reports]


def jenkins(job):
    text = (ROOT / ".github/templates/Jenkinsfile").read_text()
    (path,) = re.findall(r'PATH = "(.*)"', text)
    job.path.insert(0, path.removesuffix(":${env.PATH}").replace("${env.WORKSPACE}", str(job.work)))
    stages, post = text.split("post {")
    scripts = re.compile(r"sh '''\n(.*?)'''", re.DOTALL)
    variables = {"WORKSPACE": str(job.work)}
    try:
        for script in scripts.findall(stages):
            job.shell(script, shell=("sh", "-xe"), **variables)
    finally:
        (last,) = scripts.findall(post)
        job.shell(last, shell=("sh", "-xe"), **variables)
        job.uses = [("artifact", name) for name in re.findall(r"'(aclsan/\w+\.\w+)'", post)]
