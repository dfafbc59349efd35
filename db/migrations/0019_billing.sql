-- What is copied from Stripe (decisions 82 to 86). The plan itself is the account's row in `subscriptions`.

create table billing_customers (
  account_id uuid primary key references accounts on delete cascade,
  stripe_customer_id text not null,
  -- Each look at Stripe takes the next number before it asks; what an older look saw is not written over what a newer one saw.
  begun bigint not null default 0,
  applied bigint not null default 0,
  refreshed_at timestamptz,
  failed_at timestamptz,
  failure text,
  created_at timestamptz not null,
  constraint billing_customers_stripe_key unique (stripe_customer_id)
);
create index billing_customers_stale on billing_customers (refreshed_at nulls first);
create index billing_customers_failed on billing_customers (failed_at) where failed_at is not null;

-- Events that were taken in, so that each counts once. Ids alone; kept for 40 days.
create table billing_events (
  event_id text primary key,
  type text not null,
  stripe_customer_id text,
  made_at timestamptz not null,
  received_at timestamptz not null
);
create index billing_events_old on billing_events (received_at);

create table checkout_sessions (
  account_id uuid not null references accounts on delete cascade,
  stripe_session_id text not null,
  plan text not null check (plan in ('starter', 'growth')),
  cycle text not null check (cycle in ('month', 'year')),
  extra_stores smallint not null check (extra_stores between 0 and 20),
  state text not null check (state in ('open', 'complete', 'expired')),
  url text not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (account_id, stripe_session_id)
);

create table payments (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  stripe_invoice_id text not null,
  number text,
  created_at timestamptz not null,
  description text not null,
  amount_minor integer not null,
  currency char(3) not null,
  refund_minor integer not null default 0,
  failure_reason text,
  status text not null check (status in ('succeeded', 'pending', 'failed', 'canceled', 'refunded')),
  invoice_url text,
  primary key (account_id, id),
  constraint payments_invoice_key unique (account_id, stripe_invoice_id)
);
create index payments_newest on payments (account_id, created_at desc, id desc);

-- Who has had a trial (decision 84), as keyed hashes. They outlive the account, so that a new account has no second trial.
create table trial_claims (
  kind text not null check (kind in ('account', 'email', 'card')),
  key_hash bytea not null,
  account_id uuid,
  claimed_at timestamptz not null,
  primary key (kind, key_hash)
);
create index trial_claims_by_account on trial_claims (account_id);
