-- Capture: a silence cannot raise an alarm before this time, so the watch does not read the row.
alter table heartbeats add column quiet_until timestamptz;
