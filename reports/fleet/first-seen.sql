-- The first run in which each finding appeared.
--
-- Also the number of runs and processes that have it. Findings have the same fingerprint as long as the functions on their stacks keep
-- their names. Runs are in order of their first process's start. Findings that follow from others are left out.
--
-- Reads: processes, findings.
WITH runs AS (
  SELECT run_id, MIN(started_ns) AS started_ns FROM processes GROUP BY run_id
),
numbered AS (
  SELECT run_id, started_ns, ROW_NUMBER() OVER (ORDER BY started_ns, run_id) AS place FROM runs
),
seen AS (
  SELECT f.fingerprint, f.rule, f.severity, f.process, n.run_id, n.started_ns, n.place
  FROM findings f JOIN processes p ON f.process = p.process JOIN numbered n ON p.run_id = n.run_id
  WHERE NOT f.is_consequence
),
firsts AS (
  SELECT fingerprint, MIN(rule) AS rule, MIN(severity) AS severity, MIN(place) AS place,
    COUNT(DISTINCT run_id) AS runs, COUNT(DISTINCT process) AS processes
  FROM seen GROUP BY fingerprint
)
SELECT f.fingerprint, f.rule, f.severity, n.run_id AS first_run, n.started_ns AS first_run_ns, f.runs, f.processes
FROM firsts f JOIN numbered n ON f.place = n.place
ORDER BY n.place DESC, f.fingerprint
