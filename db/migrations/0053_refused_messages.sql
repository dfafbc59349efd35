-- no transaction
-- Analytics counts the emails of a range that were refused when they were handed over.
create index concurrently messages_refused on messages (store_id, finished_at) where state = 'failed' and reason like 'rejected:%';
