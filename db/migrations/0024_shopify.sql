-- Stores whose keys make tokens, what such keys allow, and what a second platform tells.

-- What the keys and the plan allow, as the store said when its profile was read; null: its platform has no such thing.
alter table stores add column rights jsonb;

-- The token made of the keys; null: none yet. Whoever makes one holds the row.
alter table store_credentials add column encrypted_token bytea;
-- The keys before the last change: deliveries that are signed with them are taken until then.
alter table store_credentials add column previous_encrypted bytea;
alter table store_credentials add column previous_until timestamptz;

-- Of a customer's whole life in the store, as it counts them itself; null: it does not say.
alter table customers add column orders_count integer;
alter table customers add column spent_minor bigint;

alter table sync_state drop constraint sync_state_stream_check;
alter table sync_state add constraint sync_state_stream_check check (stream in
  ('order_check', 'import', 'sweep', 'customers', 'products', 'webhooks', 'coupons', 'coupon_codes', 'coupon_tidy', 'coupon_check', 'checkouts'));
