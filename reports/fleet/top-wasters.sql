-- Sites that waste most, over all processes.
--
-- Waste is bytes never released, and bytes that rounding and page sizes cost at their worst. At most 50 sites, by the sum of both.
--
-- Reads: allocations, sites.
WITH wasted AS (
  SELECT site, COUNT(DISTINCT process) AS processes,
    CAST(SUM(allocations) AS BIGINT) AS allocations,
    CAST(SUM(leaked_bytes) AS BIGINT) AS leaked_bytes,
    CAST(SUM(CASE WHEN slack_page_bytes > slack_asked_bytes THEN slack_page_bytes - slack_asked_bytes ELSE 0 END) AS BIGINT)
      AS slack_bytes
  FROM allocations GROUP BY site
),
places AS (
  SELECT site, MIN(function) AS function, MIN(place) AS place FROM sites GROUP BY site
)
SELECT w.site, q.function, q.place, w.processes, w.allocations, w.leaked_bytes, w.slack_bytes
FROM wasted w JOIN places q ON w.site = q.site
WHERE w.leaked_bytes + w.slack_bytes > 0
ORDER BY w.leaked_bytes + w.slack_bytes DESC, w.site
LIMIT 50
