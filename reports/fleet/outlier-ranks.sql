-- Processes whose peak, live or leaked memory is far from the median of their run.
--
-- The score is the modified z-score of Iglewicz and Hoaglin (1993), as in `aclsan report`: 0.6745 times the distance from the median, over
-- the median of all distances. If more than half of the processes are equal, that median is 0, and 1.2533 times the mean distance is used.
-- A process is listed if its score is beyond 3.5 and its distance at least 1 MiB and a twentieth of the median; a run of fewer than five
-- processes has none. Medians are the lower of two middle values.
--
-- Reads: processes.
WITH measured AS (
  SELECT run_id, process, host_name, process_number, 'peak_bytes' AS measure, peak_bytes AS value FROM processes
  UNION ALL
  SELECT run_id, process, host_name, process_number, 'live_bytes' AS measure, live_bytes AS value FROM processes
  UNION ALL
  SELECT run_id, process, host_name, process_number, 'leaked_bytes' AS measure, leaked_bytes AS value FROM processes
),
ordered AS (
  SELECT run_id, measure, value,
    ROW_NUMBER() OVER (PARTITION BY run_id, measure ORDER BY value, process) AS place,
    COUNT(*) OVER (PARTITION BY run_id, measure) AS processes
  FROM measured
),
medians AS (
  SELECT run_id, measure, value AS median_value, processes
  FROM ordered WHERE place = FLOOR((processes + 1) / 2.0)
),
distances AS (
  SELECT m.run_id, m.measure, m.process, m.host_name, m.process_number, m.value, d.median_value, d.processes,
    ABS(m.value - d.median_value) AS distance
  FROM measured m JOIN medians d ON m.run_id = d.run_id AND m.measure = d.measure
),
placed AS (
  SELECT run_id, measure, distance, processes,
    ROW_NUMBER() OVER (PARTITION BY run_id, measure ORDER BY distance, process) AS place,
    AVG(CAST(distance AS DOUBLE)) OVER (PARTITION BY run_id, measure) AS mean_distance
  FROM distances
),
scales AS (
  SELECT run_id, measure,
    CASE WHEN distance = 0 THEN 1.2533 * mean_distance ELSE distance / 0.6745 END AS scale
  FROM placed WHERE place = FLOOR((processes + 1) / 2.0)
),
scored AS (
  SELECT d.run_id, d.measure, d.host_name, d.process_number, d.value, d.median_value, d.distance, d.processes,
    CASE WHEN s.scale > 0 THEN (d.value - d.median_value) / s.scale ELSE 0.0 END AS score
  FROM distances d JOIN scales s ON d.run_id = s.run_id AND d.measure = s.measure
)
SELECT run_id, host_name, process_number, measure, value AS bytes, median_value AS median_bytes,
  CAST(ROUND(score * 10) AS BIGINT) AS tenths_of_score
FROM scored
WHERE processes >= 5 AND ABS(score) > 3.5 AND distance >= 1048576 AND distance * 20 >= median_value
ORDER BY run_id, measure, ABS(score) DESC, host_name, process_number
