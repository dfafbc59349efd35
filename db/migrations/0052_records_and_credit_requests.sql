-- How reading single records went that webhooks name: a store that hangs at these is left alone with them for a while.
alter table sync_state drop constraint sync_state_stream_check;
alter table sync_state add constraint sync_state_stream_check check (stream in
  ('order_check', 'goods_check', 'record_check', 'import', 'sweep', 'customers', 'products', 'webhooks', 'coupons', 'coupon_codes', 'coupon_tidy', 'coupon_check', 'checkouts'));

-- Test credits that were asked for with an Idempotency-Key, to answer the same request with the same (D9).
create table credit_requests (
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  key text not null,
  micros bigint not null,
  -- the answer
  balance_micros bigint,
  expires_at timestamptz not null,
  primary key (account_id, user_id, key)
);
