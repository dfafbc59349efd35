-- no transaction
-- Replaced by messages_by_worker (0055).
drop index concurrently if exists messages_in_flight;
