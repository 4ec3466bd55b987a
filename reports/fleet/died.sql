-- Processes that did not end by themselves, and what they held.
--
-- They were killed, left by `_exit`, or still ran when the log was exported. Of each, at most three sites with the most bytes when the log ends.
--
-- Reads: processes, blocks, sites.
WITH held AS (
  SELECT b.process, b.stack, COUNT(*) AS blocks, CAST(SUM(b.size_bytes) AS BIGINT) AS bytes
  FROM blocks b JOIN processes p ON b.process = p.process
  WHERE NOT p.is_complete AND NOT b.is_reclaimed
  GROUP BY b.process, b.stack
),
placed AS (
  SELECT process, stack, blocks, bytes,
    ROW_NUMBER() OVER (PARTITION BY process ORDER BY bytes DESC, stack) AS place
  FROM held
)
SELECT p.run_id, p.host_name, p.process_number, p.duration_ns, p.live_bytes, h.place AS site_number,
  s.function, s.place, h.blocks, h.bytes
FROM processes p
LEFT JOIN placed h ON h.process = p.process AND h.place <= 3
LEFT JOIN sites s ON s.process = h.process AND s.stack = h.stack
WHERE NOT p.is_complete
ORDER BY p.run_id, p.host_name, p.process_number, p.process, h.place
