-- no transaction
-- Messages that were sent, newest first (0007), with the states of 0074.
create index concurrently messages_by_sending_at on messages (store_id, handed_over_at desc) where handed_over_at is not null and state <> 'sending';
