-- no transaction
-- Messages to be tried again (0007), with the states of 0074.
create index concurrently messages_retried on messages (store_id) where provider_response is not null and state in ('held', 'claimed', 'sending');
