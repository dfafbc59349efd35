-- Stores with their settings and credentials, and the sessions of people who work in them.

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
  -- How it reckons discounts (decision 37); null: it does not say.
  prices_include_tax boolean,
  shows_tax boolean,
  price_decimals smallint,
  is_discount_sequential boolean,
  can_write boolean not null default true,
  is_active boolean not null default true,
  is_demo boolean not null default false,
  -- false: only the shop's own plugin has called so far, which could give any address; another account that proves the address takes it.
  is_address_proven boolean not null default true,
  connected_at timestamptz not null,
  disconnected_at timestamptz,

  capture_key text not null,
  capture_seen_at timestamptz,
  checkout_seen_at timestamptz,

  sender_name text not null default '',
  sender_email text,
  postal_address text not null default '',

  abandonment_timeout_minutes integer not null default 1440 check (abandonment_timeout_minutes between 15 and 10080),
  -- The shorter of the timeout and the first step of a flow that is on (S1). Stored here so that capture needs no join.
  effective_timeout_minutes integer not null default 1440,
  attribution_window_days integer not null default 5 check (attribution_window_days between 1 and 30),
  cap_messages integer not null default 3 check (cap_messages between 1 and 20),
  cap_window_hours integer not null default 24 check (cap_window_hours between 1 and 168),
  text_cooldown_hours smallint not null default 24 check (text_cooldown_hours between 1 and 168),
  -- Quiet hours (T2) in minutes of the day, in the recipient's time zone.
  quiet_from_minute smallint not null default 1260 check (quiet_from_minute between 0 and 1439),
  quiet_until_minute smallint not null default 480 check (quiet_until_minute between 0 and 1439),
  -- Who has to confirm a consent to SMS: those the consent table asks for, also those who gave it on a page of the shop (where nothing
  -- proves who typed), or everybody.
  sms_confirmation text not null default 'where_required' check (sms_confirmation in ('where_required', 'page_script', 'always')),
  -- A save that names an older version is refused: somebody else has changed the settings in the meantime.
  settings_version integer not null default 0,
  -- Pause all sending (decision 136): nothing of the store is sent while this is set.
  sending_paused_at timestamptz,
  sending_paused_by uuid references users on delete set null,
  -- Set while the plan has no room for it (decision 85): it captures and syncs, and sends nothing.
  rests_since timestamptz,
  -- The owner's choice: it rests before others when the plan has room for fewer stores than there are.
  rests_first boolean not null default false,

  constraint stores_capture_key_key unique (capture_key),
  constraint stores_quiet_hours_differ check (quiet_from_minute <> quiet_until_minute)
);
create index stores_by_account on stores (account_id, is_active desc, connected_at desc);
-- A store address belongs to one account of an instance while it is connected (decision 7); the demo store may be shared.
create unique index stores_url_key on stores (home_url) where is_active and not is_demo and is_address_proven;
-- A shop's page that asks for its settings names its address.
create index stores_by_home on stores (home_url) where is_active;
create index stores_by_url on stores (url) where is_active;

create table store_credentials (
  account_id uuid not null references accounts on delete cascade,
  store_id uuid not null references stores on delete cascade,
  encrypted bytea not null,
  updated_at timestamptz not null,
  primary key (account_id, store_id)
);

create table sessions (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  user_id uuid not null references users on delete cascade,
  store_id uuid references stores on delete set null,
  token_hash bytea not null,
  -- in words ("Firefox on Windows"), so that people recognise their own sessions
  device text,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  -- When a code of the second factor was shown for it; null: the password was enough.
  second_factor_at timestamptz,
  -- Of an operator's look at an account (decision 90): read only, ends then, and its user need not be a member.
  viewed_until timestamptz,
  primary key (account_id, id),
  constraint sessions_token_hash_key unique (token_hash)
);
create index sessions_by_user on sessions (user_id);

-- A host of the shop's own for the links in its mails. It is used while it is proven and the last check found that it leads here. A name
-- without proof keeps nobody else from claiming it.
create table link_hosts (
  store_id uuid primary key references stores on delete cascade,
  host text not null,
  created_at timestamptz not null,
  -- when a TXT record proved that the name is the store's
  proven_at timestamptz,
  checked_at timestamptz,
  -- null: the last check failed, or there was none; links are on the server's own host
  passed_at timestamptz,
  -- since when the checks of a proven host fail
  failing_since timestamptz,
  problem text,
  next_check_at timestamptz not null
);
create index link_hosts_due on link_hosts (next_check_at);
create unique index link_hosts_proven on link_hosts (host) where proven_at is not null;
