-- no transaction
-- What a process has claimed or is sending (0055), with the states of 0074.
create index concurrently messages_of_worker on messages (worker_id) where state in ('claimed', 'sending') and worker_id is not null;
