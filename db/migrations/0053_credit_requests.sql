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
