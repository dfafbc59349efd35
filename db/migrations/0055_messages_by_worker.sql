-- no transaction
-- What processes that ended had taken or sent. `worker_id is not null` is so of all of these; a statement that does not say it cannot be given this
-- index. By `messages_in_flight`, which it replaces, each turn of a batch read everything that was being sent, of all stores.
create index concurrently messages_by_worker on messages (worker_id) where state in ('handed_over', 'claimed') and worker_id is not null;
