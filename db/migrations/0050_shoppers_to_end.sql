-- no transaction
-- Whom a night's run of retention looks at.
create index concurrently shoppers_to_end on shoppers (store_id, first_seen_at, id) where ended_at is null;
