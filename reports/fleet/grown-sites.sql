-- Sites whose peak grew since the last good run.
--
-- The newest run is compared with the latest one before it that has no finding that is an error and no process that died. Peaks are the highest of any process, so that the number of ranks does not count. Runs are in order of their first process's start. Sites
-- that grew by less than 1 MiB are left out; a site that the good run did not have grew from 0.
--
-- Reads: processes, allocations, sites.
WITH runs AS (
  SELECT run_id, MIN(started_ns) AS started_ns, SUM(errors) AS errors,
    SUM(CASE WHEN is_complete THEN 0 ELSE 1 END) AS died
  FROM processes GROUP BY run_id
),
numbered AS (
  SELECT run_id, errors, died, ROW_NUMBER() OVER (ORDER BY started_ns DESC, run_id DESC) AS place FROM runs
),
good AS (
  SELECT MIN(place) AS place FROM numbered WHERE place > 1 AND errors = 0 AND died = 0
),
chosen AS (
  SELECT n.run_id, 'new' AS which FROM numbered n WHERE n.place = 1
  UNION ALL
  SELECT n.run_id, 'old' AS which FROM numbered n JOIN good g ON n.place = g.place
),
of_process AS (
  SELECT c.which, a.site, a.process, SUM(a.peak_bytes) AS peak_bytes
  FROM allocations a JOIN processes p ON a.process = p.process JOIN chosen c ON p.run_id = c.run_id
  GROUP BY c.which, a.site, a.process
),
peaks AS (
  SELECT site,
    MAX(CASE WHEN which = 'old' THEN peak_bytes ELSE 0 END) AS old_peak_bytes,
    MAX(CASE WHEN which = 'new' THEN peak_bytes ELSE 0 END) AS new_peak_bytes
  FROM of_process GROUP BY site
),
places AS (
  SELECT site, MIN(function) AS function, MIN(place) AS place FROM sites GROUP BY site
)
SELECT k.site, q.function, q.place, k.old_peak_bytes, k.new_peak_bytes,
  k.new_peak_bytes - k.old_peak_bytes AS grown_bytes
FROM peaks k JOIN places q ON k.site = q.site CROSS JOIN good g
WHERE g.place IS NOT NULL AND k.new_peak_bytes - k.old_peak_bytes >= 1048576
ORDER BY grown_bytes DESC, k.site
