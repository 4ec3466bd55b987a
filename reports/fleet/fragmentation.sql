-- Fragmentation of device memory at the peak, by SoC, driver and page class.
--
-- Fragmentation is 1 − the largest hole / all bytes in holes, of each process, device and page class; the mean counts each of these once. An
-- estimate: holes are of the address space, and other processes are not visible.
--
-- Reads: processes, layouts.
SELECT p.soc, p.driver_version, l.page, COUNT(DISTINCT p.process) AS processes,
  CAST(SUM(l.peak_page_bytes) AS BIGINT) AS page_bytes,
  CAST(SUM(l.peak_slack_bytes) AS BIGINT) AS slack_bytes,
  CAST(SUM(l.peak_free_bytes) AS BIGINT) AS hole_bytes,
  CAST(ROUND(AVG(l.peak_fragmentation) * 1000) AS BIGINT) AS mean_permille,
  CAST(ROUND(MAX(l.peak_fragmentation) * 1000) AS BIGINT) AS highest_permille
FROM layouts l JOIN processes p ON l.process = p.process
GROUP BY p.soc, p.driver_version, l.page
ORDER BY p.soc, p.driver_version, l.page
