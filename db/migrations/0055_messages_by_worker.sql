-- no transaction
-- What a process has claimed or is sending, to find what it left behind when it ended. Only that search says `worker_id is not null`, so no other
-- statement can be given this index. By `messages_in_flight`, which it replaces, each turn read everything that was being sent, of all stores.
create index concurrently messages_by_worker on messages (worker_id) where state in ('handed_over', 'claimed') and worker_id is not null;
