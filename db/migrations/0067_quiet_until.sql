-- capture: before this instant no silence can be surprising, so the watch does not read the row
alter table heartbeats add column quiet_until timestamptz;
