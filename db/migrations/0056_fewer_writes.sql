-- A mail changes its row and its cart a few times, and each change paid for indexes that no query needs.

-- Replaced by messages_by_worker (0055). What is being sent always has a worker; a row without one would never be closed.
update messages set worker_id = gen_random_uuid() where state in ('handed_over', 'claimed') and worker_id is null;
drop index messages_in_flight;
