-- Since when Recoup has not reached a shop that its plugin connected; null while it is reached.
alter table plugin_connections add column unreached_since timestamptz;
update plugin_connections set unreached_since = reach_checked_at where is_reached = false;
