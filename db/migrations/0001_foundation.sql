-- Account tables start their keys with account_id, tenant tables with store_id: the schema can be distributed by either.

create table users (
  id uuid primary key,
  email text not null,
  name text not null,
  password_hash text not null,
  created_at timestamptz not null,
  constraint users_email_key unique (email)
);

create table accounts (
  id uuid primary key,
  name text not null,
  is_demo boolean not null default false,
  created_at timestamptz not null
);

create table members (
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  created_at timestamptz not null,
  primary key (account_id, user_id)
);
create index members_by_user on members (user_id, created_at);

create table password_resets (
  token_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index password_resets_by_user on password_resets (user_id);

create table subscriptions (
  account_id uuid primary key references accounts on delete cascade,
  plan text not null check (plan in ('free', 'starter', 'growth')),
  status text not null check (status in ('active', 'trialing', 'past_due', 'canceled')),
  next_billing_at timestamptz,
  updated_at timestamptz not null
);

-- Hand-overs of the calendar month (UTC), counted in the hand-over's own transaction (decision 6).
create table plan_usage (
  account_id uuid not null references accounts on delete cascade,
  month date not null,
  channel text not null check (channel in ('email', 'sms', 'whatsapp', 'push')),
  used integer not null default 0,
  primary key (account_id, month, channel)
);

-- address_hash is keyed, so that an erased person's entry still works (C1, C8).
create table suppressions (
  account_id uuid not null references accounts on delete cascade,
  address_hash bytea not null,
  channel text not null check (channel in ('all', 'email', 'sms', 'whatsapp', 'push')),
  address text,
  reason text not null check (reason in ('unsubscribed', 'complaint', 'hard_bounce', 'manual', 'invalid', 'erased')),
  source text not null,
  created_at timestamptz not null,
  primary key (account_id, address_hash, channel)
);

create table stores (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  platform text not null check (platform in ('woocommerce', 'shopify')),
  url text not null,
  home_url text not null,
  name text not null,
  currency char(3) not null,
  time_zone text not null,
  version text not null,
  base_country char(2),
  selling_countries text[],
  has_checkout_link boolean not null default false,
  can_write boolean not null default true,
  is_active boolean not null default true,
  is_demo boolean not null default false,
  connected_at timestamptz not null,
  disconnected_at timestamptz,
  capture_key text not null,
  capture_seen_at timestamptz,
  sender_name text not null default '',
  sender_email text,
  postal_address text not null default '',
  abandonment_timeout_minutes integer not null default 1440 check (abandonment_timeout_minutes between 15 and 10080),
  -- min(timeout, first step of a flow that is on): S1. Kept here so that capture needs no join.
  effective_timeout_minutes integer not null default 1440,
  attribution_window_days integer not null default 5 check (attribution_window_days between 1 and 30),
  cap_messages integer not null default 3 check (cap_messages between 1 and 20),
  cap_window_hours integer not null default 24 check (cap_window_hours between 1 and 168),
  constraint stores_capture_key_key unique (capture_key)
);
create index stores_by_account on stores (account_id, is_active desc, connected_at desc);
-- A store address belongs to one account of an instance while it is connected (decision 7); the demo store may be shared.
create unique index stores_url_key on stores (home_url) where is_active and not is_demo;

create table sessions (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  store_id uuid references stores on delete set null,
  token_hash bytea not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_id, id),
  constraint sessions_token_hash_key unique (token_hash)
);
create index sessions_by_user on sessions (user_id);

create table store_credentials (
  account_id uuid not null references accounts on delete cascade,
  store_id uuid not null references stores on delete cascade,
  sealed bytea not null,
  updated_at timestamptz not null,
  primary key (account_id, store_id)
);

-- One row per stream of one store: where it stands, when it last ran through, what went wrong.
create table sync_state (
  store_id uuid not null references stores on delete cascade,
  stream text not null check (stream in ('fence', 'import', 'sweep', 'customers', 'products', 'webhooks')),
  watermark timestamptz,
  cursor_page integer,
  lease_until timestamptz,
  started_at timestamptz,
  -- when the last run that reached its last page had started, and when it ended
  completed_start timestamptz,
  completed_at timestamptz,
  failed_at timestamptz,
  error_code text,
  error_detail text,
  rows_seen integer not null default 0,
  primary key (store_id, stream)
);

create table store_webhooks (
  store_id uuid not null references stores on delete cascade,
  topic text not null,
  webhook_id text not null,
  sealed_secret bytea not null,
  last_delivery_at timestamptz,
  status text not null,
  checked_at timestamptz not null,
  primary key (store_id, topic)
);

create table webhook_events (
  store_id uuid not null references stores on delete cascade,
  event_key text not null,
  topic text not null,
  received_at timestamptz not null,
  primary key (store_id, event_key)
);

create table products (
  store_id uuid not null references stores on delete cascade,
  product_id text not null,
  variation_id text not null default '',
  name text not null,
  sku text,
  price_minor bigint not null,
  currency char(3) not null,
  image_url text,
  permalink text,
  is_available boolean not null,
  stock_quantity integer,
  modified_at timestamptz,
  seen_at timestamptz not null,
  primary key (store_id, product_id, variation_id)
);

create table customers (
  store_id uuid not null references stores on delete cascade,
  customer_id text not null,
  email text,
  phone text,
  first_name text,
  last_name text,
  company text,
  country char(2),
  created_at timestamptz,
  modified_at timestamptz,
  seen_at timestamptz not null,
  primary key (store_id, customer_id)
);

-- A shopper is everything that merging keys hold together (engine: Identity). Device tokens match and never merge.
create table shoppers (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  email text,
  phone text,
  first_name text,
  last_name text,
  country char(2),
  country_source text,
  arm text check (arm in ('treated', 'control')),
  is_member boolean not null default false,
  created_at timestamptz not null,
  primary key (store_id, id)
);
create index shoppers_by_email on shoppers (store_id, email) where email is not null;

create table shopper_keys (
  store_id uuid not null,
  kind text not null check (kind in ('email', 'phone', 'customer', 'cart', 'order', 'device')),
  value text not null,
  shopper_id uuid not null,
  primary key (store_id, kind, value, shopper_id),
  foreign key (store_id, shopper_id) references shoppers (store_id, id) on delete cascade
);
-- A merging key names one shopper; a device may name several.
create unique index shopper_keys_merging on shopper_keys (store_id, kind, value) where kind <> 'device';
create index shopper_keys_by_shopper on shopper_keys (store_id, shopper_id);

create table facts (
  store_id uuid not null,
  id uuid not null,
  shopper_id uuid not null,
  kind text not null check (kind in ('snapshot', 'contact', 'order', 'lost')),
  source text not null check (source in ('capture', 'plugin', 'webhook', 'sync', 'engine')),
  at timestamptz not null,
  unique_key text not null,
  payload jsonb not null,
  received_at timestamptz not null,
  primary key (store_id, id),
  constraint facts_unique_key_key unique (store_id, unique_key),
  foreign key (store_id, shopper_id) references shoppers (store_id, id) on delete cascade
);
create index facts_by_shopper on facts (store_id, shopper_id, at, id);

create table carts (
  store_id uuid not null,
  id uuid not null,
  shopper_id uuid not null,
  status text not null check (status in ('active', 'abandoned', 'recovered', 'purchased', 'emptied', 'lost', 'merged')),
  badge text not null default 'No Action'
    check (badge in ('No Action', 'Email Sent', 'SMS Sent', 'WhatsApp Sent', 'No Response', 'Recovered')),
  version integer not null default 1,
  started_at timestamptz not null,
  last_activity_at timestamptz not null,
  -- null while there is nothing in the cart
  abandon_at timestamptz,
  abandoned_at timestamptz,
  ended_at timestamptz,
  recovered_at timestamptz,
  pending_until timestamptz,
  lost_at timestamptz not null,
  no_response_at timestamptz,
  last_handed_over_at timestamptz,
  merged_into uuid,
  opening_fact_id uuid not null,
  last_fact_at timestamptz not null,
  last_fact_id uuid not null,
  customer_name text not null,
  email text,
  phone text,
  items jsonb not null,
  item_count integer not null,
  value_minor bigint not null,
  currency char(3) not null,
  coupons jsonb not null default '[]',
  search text not null,
  fold jsonb not null,
  created_at timestamptz not null,
  primary key (store_id, id),
  foreign key (store_id, shopper_id) references shoppers (store_id, id) on delete cascade
);
create index carts_by_shopper on carts (store_id, shopper_id, started_at);
create index carts_to_abandon on carts (abandon_at) where status = 'active' and abandon_at is not null;
create index carts_to_lose on carts (lost_at) where status = 'abandoned';
create index carts_without_response on carts (no_response_at) where no_response_at is not null;
create index carts_list_by_activity on carts (store_id, last_activity_at desc, id desc)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_badge on carts (store_id, badge, last_activity_at desc, id desc)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_value on carts (store_id, value_minor desc, id desc)
  where status in ('abandoned', 'recovered', 'lost');

create table cart_events (
  store_id uuid not null,
  id uuid not null,
  cart_id uuid not null,
  at timestamptz not null,
  kind text not null,
  detail jsonb not null default '{}',
  primary key (store_id, id),
  foreign key (store_id, cart_id) references carts (store_id, id) on delete cascade
);
create index cart_events_by_cart on cart_events (store_id, cart_id, at, id);

create table orders (
  store_id uuid not null references stores on delete cascade,
  order_id text not null,
  shopper_id uuid,
  cart_id uuid,
  kind text not null,
  status text not null,
  created_at timestamptz not null,
  modified_at timestamptz not null,
  purchased_at timestamptz,
  currency char(3) not null,
  total_minor bigint not null,
  net_minor bigint not null,
  email text,
  phone text,
  is_staff boolean not null default false,
  content_hash text not null default '',
  touch_id uuid,
  message_id uuid,
  primary key (store_id, order_id)
);
create index orders_by_shopper on orders (store_id, shopper_id, purchased_at) where purchased_at is not null;
create index orders_by_purchase on orders (store_id, purchased_at) where purchased_at is not null;
create index orders_by_cart on orders (store_id, cart_id) where cart_id is not null;

create table templates (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  key text not null,
  name text not null,
  subject text not null,
  body text not null,
  version integer not null default 1,
  updated_at timestamptz not null,
  primary key (store_id, id)
);

create table flows (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  name text not null,
  is_on boolean not null default false,
  switched_on_at timestamptz,
  -- carts whose last activity is at or after this instant are taken
  takes_from timestamptz,
  holdout_bps integer not null default 0 check (holdout_bps between 0 and 5000),
  salt text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
);

create table flow_steps (
  store_id uuid not null,
  flow_id uuid not null,
  step integer not null check (step between 1 and 20),
  delay_minutes integer not null check (delay_minutes between 1 and 43200),
  channel text not null check (channel in ('email', 'sms', 'whatsapp', 'push')),
  template_id uuid not null,
  primary key (store_id, flow_id, step),
  foreign key (store_id, flow_id) references flows (store_id, id) on delete cascade,
  foreign key (store_id, template_id) references templates (store_id, id) on delete cascade
);

create table messages (
  store_id uuid not null,
  id uuid not null,
  cart_id uuid not null,
  shopper_id uuid not null,
  -- 'flow:<id>', 'campaign:<id>', 'manual:<id>': with cart, step and channel the key nobody can send twice (D1)
  origin text not null,
  step integer not null,
  channel text not null check (channel in ('email', 'sms', 'whatsapp', 'push')),
  state text not null check (state in
    ('scheduled', 'held', 'claimed', 'handed_over', 'sent', 'delivered', 'failed', 'unknown', 'skipped', 'cancelled')),
  reason text,
  due_at timestamptz not null,
  expires_at timestamptz not null,
  -- when it has to be looked at next: due, end of a hold, or end of a lease
  wake_at timestamptz not null,
  claim uuid,
  -- the process that has it on the wire; one that no longer beats leaves unknown behind, never a second send
  worker_id uuid,
  attempts integer not null default 0,
  template_id uuid,
  template_version integer,
  to_address text,
  subject text,
  body_html text,
  body_text text,
  provider_id text,
  provider_response text,
  decided_at timestamptz,
  handed_over_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  constraint messages_once_key unique (store_id, cart_id, origin, step, channel),
  foreign key (store_id, cart_id) references carts (store_id, id) on delete cascade
);
create index messages_to_wake on messages (store_id, wake_at) where state in ('scheduled', 'held', 'claimed');
create index messages_handed_over on messages (store_id, shopper_id, handed_over_at) where handed_over_at is not null;
create index messages_in_flight on messages (worker_id) where state in ('handed_over', 'claimed');
create index messages_by_origin on messages (store_id, origin, state);

-- The earliest wake_at of a store's open messages; scanned every second.
create table store_send (
  store_id uuid primary key references stores on delete cascade,
  next_due_at timestamptz,
  -- one process at a time sends for a store; renewed while it does
  lease_until timestamptz
);
create index store_send_due on store_send (next_due_at) where next_due_at is not null;

create table decisions (
  store_id uuid not null,
  id uuid not null,
  message_id uuid not null,
  at timestamptz not null,
  outcome text not null check (outcome in ('send', 'hold', 'skip', 'cancel', 'result')),
  reason text not null,
  until timestamptz,
  inputs jsonb not null,
  primary key (store_id, id),
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade
);
create index decisions_by_message on decisions (store_id, message_id, at, id);

-- Tokens in links of one message. Separate in purpose and not interchangeable (X1); only the hash is kept.
create table link_tokens (
  token_hash bytea primary key,
  store_id uuid not null,
  message_id uuid not null,
  cart_id uuid not null,
  purpose text not null check (purpose in ('restore', 'click', 'unsubscribe')),
  target text,
  is_test boolean not null default false,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade
);
create index link_tokens_by_message on link_tokens (store_id, message_id);

create table touches (
  store_id uuid not null,
  id uuid not null,
  message_id uuid not null,
  cart_id uuid not null,
  shopper_id uuid not null,
  kind text not null check (kind in ('click', 'restore', 'coupon')),
  is_human boolean not null,
  class_reason text not null,
  at timestamptz not null,
  primary key (store_id, id),
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade
);
create index touches_by_shopper on touches (store_id, shopper_id, at) where is_human;
create index touches_by_cart on touches (store_id, cart_id, at);

create table consents (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  address_hash bytea not null,
  channel text not null check (channel in ('email', 'sms', 'whatsapp', 'push')),
  status text not null check (status in ('granted', 'withdrawn')),
  source text not null,
  wording text,
  at timestamptz not null,
  primary key (store_id, id)
);
create index consents_by_address on consents (store_id, address_hash, channel, at desc);

create table notifications (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  type text not null,
  title text not null,
  message text not null,
  data jsonb not null default '{}',
  zone jsonb not null default '{"city":"Unknown","country":"Unknown"}',
  created_at timestamptz not null,
  read_at timestamptz,
  primary key (store_id, id)
);
create index notifications_newest on notifications (store_id, created_at desc, id desc);

-- One row: what this copy of the product is, and whether it may send (D7).
create table instance (
  is_only boolean primary key default true check (is_only),
  fingerprint text not null,
  is_paused boolean not null default false,
  paused_reason text,
  created_at timestamptz not null
);

-- Heartbeats of the processes that play the worker.
create table workers (
  id uuid primary key,
  started_at timestamptz not null,
  seen_at timestamptz not null
);

-- Written by the rate limiter's own library.
create table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
