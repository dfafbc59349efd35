-- Web push: key pairs, subscriptions of shoppers' browsers, and what an owner has set.

-- VAPID (RFC 8292). One pair signs for new subscriptions; one that was replaced signs on for those made with it.
create table push_keys (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  public_key text not null,
  encrypted bytea not null,
  made_at timestamptz not null,
  -- null: the one in use
  replaced_at timestamptz,
  -- when one that was replaced ends, with the subscriptions that have not moved
  ends_at timestamptz,
  primary key (store_id, id),
  constraint push_keys_replaced check ((replaced_at is null) = (ends_at is null))
);
create unique index push_keys_in_use on push_keys (store_id) where replaced_at is null;
create index push_keys_ending on push_keys (ends_at) where ends_at is not null;

-- Live ones alone: what has ended is deleted, and the ledger keeps that it was withdrawn.
create table push_subscriptions (
  store_id uuid not null,
  id uuid not null,
  shopper_id uuid not null,
  key_id uuid not null,
  endpoint_hash bytea not null,
  -- endpoint and keys: whoever has them can write to the browser
  encrypted bytea not null,
  -- of its address at the push service, and of the browser no more than its kind
  service text not null,
  device_class text check (device_class in ('phone', 'desktop')),
  created_at timestamptz not null,
  -- when the browser last told of it, or took a notification
  seen_at timestamptz not null,
  primary key (store_id, id),
  foreign key (store_id, shopper_id) references shoppers (store_id, id) on delete cascade,
  foreign key (store_id, key_id) references push_keys (store_id, id) on delete cascade
);
create unique index push_subscriptions_by_endpoint on push_subscriptions (store_id, endpoint_hash);
-- The newest of a person is written to first.
create index push_subscriptions_by_shopper on push_subscriptions (store_id, shopper_id, seen_at desc, id desc);
create index push_subscriptions_by_key on push_subscriptions (store_id, key_id);

-- When the store's own notifications leave (a flow of kind 'push', 0006); their words are its template's.
create table push_settings (
  store_id uuid primary key references stores on delete cascade,
  frequency text not null check (frequency in ('immediate', '1hour', '6hours', '24hours', 'custom')),
  delay_minutes integer not null check (delay_minutes between 0 and 10080),
  max_notifications integer not null check (max_notifications between 1 and 10),
  updated_at timestamptz not null
);

-- The bar in which the widget asks; without a row the one that comes along.
create table push_prompts (
  store_id uuid primary key references stores on delete cascade,
  prompt jsonb not null,
  updated_at timestamptz not null
);

-- What the widget's bar has said, by a name of its own: the ledger says which words a person agreed to.
create table push_wordings (
  store_id uuid not null references stores on delete cascade,
  id text not null,
  words text not null,
  created_at timestamptz not null,
  primary key (store_id, id)
);

-- Where widget and worker were seen at work.
create table push_sightings (
  store_id uuid not null references stores on delete cascade,
  method text not null check (method in ('plugin', 'functions', 'easy', 'button')),
  origin text not null,
  widget_at timestamptz not null,
  worker_at timestamptz,
  primary key (store_id, method, origin)
);
