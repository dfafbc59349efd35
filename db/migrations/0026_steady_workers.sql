-- Since when a process has been heard without a gap. Only such a one tells who is gone: after the database was away, or the clock put
-- forward, those who live are as silent as the dead until they have spoken again.
alter table workers add column steady_since timestamptz;
update workers set steady_since = seen_at;
alter table workers alter column steady_since set not null;
