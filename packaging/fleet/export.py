"""Exports logs where they are: a Ray task for each, on the node that has it.

    python3 export.py DATASET LOG...
    python3 export.py --run job-7 --model llama --model-version 3 s3mount/dataset /scratch/logs

Folders are searched for `*.aclsan` files on every node of the cluster, and each node exports its own. The dataset must be a path that all
nodes write to: a shared file system, or a mounted object store. `aclsan` must be in PATH on every node, or in $ACLSAN.
"""

import argparse
import os
import pathlib
import subprocess
import sys

import ray


def logs_of(paths):
    """The logs that paths name on this node."""
    found = []
    for path in map(pathlib.Path, paths):
        if path.is_dir():
            found += sorted(path.glob("*.aclsan")) + sorted(path.glob("*.aclsan.zst"))
        elif path.exists():
            found.append(path)
    return [str(path.absolute()) for path in found]


def export(log, dataset, labels):
    """Exports one log; returns its path, the exit code and what was said."""
    command = [os.environ.get("ACLSAN", "aclsan"), "export", "--format", "parquet", "-o", dataset, *labels, log]
    ended = subprocess.run(command, capture_output=True, text=True)
    return log, ended.returncode, ended.stderr.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run")
    parser.add_argument("--model")
    parser.add_argument("--model-version")
    parser.add_argument("--workers", type=int, help="workers of a cluster of this machine alone, if there is no other")
    parser.add_argument("dataset")
    parser.add_argument("log", nargs="+")
    arguments = parser.parse_args()
    labels = []
    for label in ("run", "model", "model_version"):
        value = getattr(arguments, label)
        if value is not None:
            labels += ["--" + label.replace("_", "-"), value]

    alone = {"num_cpus": arguments.workers, "include_dashboard": False} if arguments.workers else {}
    ray.init(address=os.environ.get("RAY_ADDRESS"), log_to_driver=False, **alone)
    dataset = str(pathlib.Path(arguments.dataset).absolute())
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    # A log is one core's work, and a task that is retried replaces the same files.
    remote_logs = ray.remote(num_cpus=0)(logs_of)
    remote_export = ray.remote(num_cpus=1, max_retries=2)(export)
    nodes = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
    listed = {}
    for node in nodes:
        at = NodeAffinitySchedulingStrategy(node_id=node, soft=False)
        listed[node] = remote_logs.options(scheduling_strategy=at).remote(arguments.log)
    tasks, seen = [], set()
    for node, logs in listed.items():
        at = NodeAffinitySchedulingStrategy(node_id=node, soft=False)
        for log in ray.get(logs):
            # On a shared file system every node has them all.
            if log in seen and os.path.exists(log):
                continue
            seen.add(log)
            task = remote_export.options(scheduling_strategy=at)
            tasks.append(task.remote(log, dataset, labels))
    if not tasks:
        sys.exit(f"no node has a log in {', '.join(arguments.log)}")
    failed = 0
    for log, code, said in ray.get(tasks):
        if code:
            failed += 1
            print(f"{log}: exit code {code}: {said}", file=sys.stderr)
    print(f"{len(tasks) - failed} of {len(tasks)} logs exported to {arguments.dataset}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
