"""Answers to the questions of `reports/fleet`: from an engine, and from a model that only knows lists.

    prove.py duckdb DATASET      what DuckDB answers, as JSON
    prove.py spark DATASET       what Spark answers, with two executors in processes of their own
    prove.py model DATASET       what a naive model answers, from rows that DuckDB only reads
    prove.py compare FILE...     fails unless all files say the same, row for row

Each runs with the Python that has the engine (`packaging/fleet/engines`).
"""

import json
import pathlib
import sys
from collections import defaultdict

QUESTIONS = pathlib.Path(__file__).parents[2] / "reports" / "fleet"


def questions():
    for file in sorted(QUESTIONS.glob("*.sql")):
        lines = file.read_text().splitlines()
        reads = next(line for line in lines if line.startswith("-- Reads: "))
        tables = reads.removeprefix("-- Reads: ").rstrip(".").split(", ")
        yield file.stem, tables, "\n".join(line for line in lines if not line.startswith("--"))


def of_duckdb(dataset):
    import duckdb

    engine, answers = duckdb.connect(), {}
    for name, tables, sql in questions():
        for table in tables:
            engine.execute(
                f"CREATE OR REPLACE VIEW {table} AS SELECT * FROM "
                f"read_parquet('{dataset}/{table}/**/*.parquet', hive_partitioning=false, union_by_name=true)"
            )
        answer = engine.execute(sql)
        answers[name] = {"columns": [column[0] for column in answer.description], "rows": answer.fetchall()}
    return answers


def of_spark(dataset):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("aclsan")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.executor.memory": "800m",
        "spark.sql.session.timeZone": "UTC",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark, answers = builder.getOrCreate(), {}
    spark.sparkContext.setLogLevel("ERROR")
    # Not counting the driver: otherwise nothing ran elsewhere.
    spark.sparkContext.parallelize(range(8), 8).count()
    executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
    assert executors == 2, f"{executors} executors"
    for name, tables, sql in questions():
        for table in tables:
            spark.read.parquet(f"{dataset}/{table}").createOrReplaceTempView(table)
        answer = spark.sql(sql)
        answers[name] = {"columns": answer.columns, "rows": [list(row) for row in answer.collect()]}
    spark.stop()
    return answers


class Model:
    """The questions again, in loops."""

    def __init__(self, dataset):
        import duckdb

        self.dataset, self.engine = dataset, duckdb.connect()
        self.processes = self.rows("processes")
        self.by_key = {row["process"]: row for row in self.processes}
        self.places = {}
        for row in self.rows("sites"):
            function, place = self.places.get(row["site"], (row["function"], row["place"]))
            self.places[row["site"]] = (min(function, row["function"]), min(place, row["place"]))
        started = {}
        for row in self.processes:
            run = row["run_id"]
            started[run] = min(started.get(run, row["started_ns"]), row["started_ns"])
        self.started = started
        self.runs = sorted(started, key=lambda run: (started[run], run))

    def rows(self, table):
        files = f"{self.dataset}/{table}/**/*.parquet"
        answer = self.engine.execute(f"SELECT * FROM read_parquet('{files}', hive_partitioning=false)")
        names = [column[0] for column in answer.description]
        return [dict(zip(names, row)) for row in answer.fetchall()]

    def outlier_ranks(self):
        found = []
        for run in self.runs:
            ranks = [row for row in self.processes if row["run_id"] == run]
            if len(ranks) < 5:
                continue
            middle = (len(ranks) - 1) // 2
            for measure in ("peak_bytes", "live_bytes", "leaked_bytes"):
                median = sorted(row[measure] for row in ranks)[middle]
                distances = sorted(abs(row[measure] - median) for row in ranks)
                mad = distances[middle]
                scale = mad / 0.6745 if mad else 1.2533 * sum(distances) / len(distances)
                for row in ranks:
                    distance = abs(row[measure] - median)
                    score = (row[measure] - median) / scale if scale else 0
                    if abs(score) > 3.5 and distance >= 1 << 20 and distance * 20 >= median:
                        tenths = int(abs(score) * 10 + 0.5) * (1 if score > 0 else -1)
                        who = (run, row["host_name"], row["process_number"])
                        found.append((run, measure, -abs(score), *who[1:], [*who, measure, row[measure], median, tenths]))
        return [row[-1] for row in sorted(found)]

    def grown_sites(self):
        new = self.runs[-1]

        def is_good(run):
            ranks = [row for row in self.processes if row["run_id"] == run]
            return all(row["errors"] == 0 and row["is_complete"] for row in ranks)

        good = [run for run in self.runs[:-1] if is_good(run)]
        if not good:
            return []
        of_process = defaultdict(int)
        for row in self.rows("allocations"):
            of_process[(self.by_key[row["process"]]["run_id"], row["site"], row["process"])] += row["peak_bytes"]
        peaks = defaultdict(int)
        for (run, site, _), peak in of_process.items():
            peaks[(run, site)] = max(peaks[(run, site)], peak)
        found = []
        for site in {site for _, site in peaks}:
            old, now = peaks.get((good[-1], site), 0), peaks.get((new, site), 0)
            if now - old >= 1 << 20:
                found.append([site, *self.places[site], old, now, now - old])
        return sorted(found, key=lambda row: (-row[5], row[0]))

    def first_seen(self):
        seen = defaultdict(list)
        for row in self.rows("findings"):
            if not row["is_consequence"]:
                seen[row["fingerprint"]].append(row)
        found = []
        for fingerprint, rows in seen.items():
            runs = {self.by_key[row["process"]]["run_id"] for row in rows}
            first = min(map(self.runs.index, runs))
            found.append(
                [
                    -first,
                    fingerprint,
                    min(row["rule"] for row in rows),
                    min(row["severity"] for row in rows),
                    self.runs[first],
                    self.started[self.runs[first]],
                    len(runs),
                    len({row["process"] for row in rows}),
                ]
            )
        return [row[1:] for row in sorted(found)]

    def memory_by_model(self):
        groups = defaultdict(list)
        for row in self.processes:
            groups[(row["model"], row["model_version"])].append(row)
        found = []
        for group in sorted(groups):
            rows = groups[group]
            peaks = [row["peak_bytes"] for row in rows]
            runs = {row["run_id"] for row in rows}
            leaked = sum(row["leaked_bytes"] for row in rows)
            mean = sum(peaks) // len(peaks)
            found.append([*group, len(runs), len(rows), max(peaks), mean, min(peaks), leaked])
        return found

    def fragmentation(self):
        groups = defaultdict(list)
        for row in self.rows("layouts"):
            process = self.by_key[row["process"]]
            groups[(process["soc"], process["driver_version"], row["page"])].append(row)
        found = []
        for group in sorted(groups):
            rows = groups[group]
            shares = [row["peak_fragmentation"] for row in rows]
            sums = [sum(row[f"peak_{of}_bytes"] for row in rows) for of in ("page", "slack", "free")]
            mean, most = sum(shares) / len(shares), max(shares)
            processes = len({row["process"] for row in rows})
            found.append([*group, processes, *sums, int(mean * 1000 + 0.5), int(most * 1000 + 0.5)])
        return found

    def died(self):
        held = defaultdict(lambda: [0, 0])
        for row in self.rows("blocks"):
            if not self.by_key[row["process"]]["is_complete"] and not row["is_reclaimed"]:
                of_site = held[(row["process"], row["stack"])]
                of_site[0] += 1
                of_site[1] += row["size_bytes"]
        calls = {(row["process"], row["stack"]): row for row in self.rows("sites")}
        found = []
        dead = [row for row in self.processes if not row["is_complete"]]
        for process in sorted(dead, key=lambda row: (row["run_id"], row["host_name"], row["process_number"], row["process"])):
            who = [process[key] for key in ("run_id", "host_name", "process_number", "duration_ns", "live_bytes")]
            sites = [(-bytes_, stack, blocks) for (key, stack), (blocks, bytes_) in held.items() if key == process["process"]]
            for number, (bytes_, stack, blocks) in enumerate(sorted(sites)[:3], 1):
                call = calls[(process["process"], stack)]
                found.append([*who, number, call["function"], call["place"], blocks, -bytes_])
            if not sites:
                found.append([*who, None, None, None, None, None])
        return found

    def top_wasters(self):
        groups = defaultdict(list)
        for row in self.rows("allocations"):
            groups[row["site"]].append(row)
        found = []
        for site, rows in groups.items():
            leaked = sum(row["leaked_bytes"] for row in rows)
            slack = sum(max(0, (row["slack_page_bytes"] or 0) - (row["slack_asked_bytes"] or 0)) for row in rows)
            allocations = sum(row["allocations"] for row in rows)
            if leaked + slack:
                processes = len({row["process"] for row in rows})
                found.append([site, *self.places[site], processes, allocations, leaked, slack])
        return sorted(found, key=lambda row: (-row[5] - row[6], row[0]))[:50]


def of_model(dataset):
    model = Model(dataset)
    return {name: {"rows": getattr(model, name.replace("-", "_"))()} for name, _, _ in questions()}


def compare(files):
    first, *others = [json.loads(pathlib.Path(file).read_text()) for file in files]
    for name, answer in first.items():
        for file, other in zip(files[1:], others):
            assert len(answer["rows"]) == len(other[name]["rows"]), (name, file, answer["rows"][:3], other[name]["rows"][:3])
            for row, same in zip(answer["rows"], other[name]["rows"]):
                assert row == same, f"{name}: {files[0]} says {row}, {file} says {same}"
        assert answer["rows"], f"{name}: no row, so nothing is proved"
    rows = sum(len(answer["rows"]) for answer in first.values())
    print(f"{len(first)} questions, {rows} rows, the same in {len(files)} answers")


if __name__ == "__main__":
    task, *rest = sys.argv[1:]
    if task == "compare":
        compare(rest)
    else:
        answer = {"duckdb": of_duckdb, "spark": of_spark, "model": of_model}[task](*rest)
        json.dump(answer, sys.stdout)
