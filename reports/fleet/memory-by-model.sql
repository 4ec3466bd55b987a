-- Device memory per model and version.
--
-- The highest, mean and lowest peak of a process, and what all of them leaked. Models are those that `aclsan export --model NAME --model-version VERSION` gave.
--
-- Reads: processes.
SELECT model, model_version, COUNT(DISTINCT run_id) AS runs, COUNT(*) AS processes,
  MAX(peak_bytes) AS highest_peak_bytes,
  CAST(FLOOR(AVG(CAST(peak_bytes AS DOUBLE))) AS BIGINT) AS mean_peak_bytes,
  MIN(peak_bytes) AS lowest_peak_bytes,
  CAST(SUM(leaked_bytes) AS BIGINT) AS leaked_bytes
FROM processes
GROUP BY model, model_version
ORDER BY model, model_version
