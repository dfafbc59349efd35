-- The plugin in a shop: how it is connected, and what it has told.

-- A code by which the plugin is connected once: its key was shown to the owner's browser, and nowhere else.
create table plugin_codes (
  account_id uuid not null references accounts on delete cascade,
  id text not null,
  -- Who confirmed, and in which session the store becomes the current one.
  user_id uuid not null references users on delete cascade,
  session_id uuid not null,
  encrypted_key bytea not null,
  -- The only shop it is good for.
  home_url text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (account_id, id),
  constraint plugin_codes_id_key unique (id)
);
create index plugin_codes_old on plugin_codes (expires_at);

create table plugin_connections (
  store_id uuid primary key references stores on delete cascade,
  encrypted_secret bytea not null,
  -- Of the connection before, good until the first call that is signed with the newer one.
  encrypted_old_secret bytea,
  -- The name of the shop's queue, and the highest number known of it.
  install text not null,
  highest_seq bigint not null default 0,
  version text not null,
  connected_at timestamptz not null,
  -- Disconnected on either side; the secret is kept as long as the store's data, so that the plugin can be told.
  ended_at timestamptz,
  called_at timestamptz,
  cart_at timestamptz,
  beat_at timestamptz,
  health jsonb,
  -- Whether the shop is reached by the key; null: nobody has tried yet.
  is_reached boolean,
  reach_code text,
  reach_detail text,
  reach_checked_at timestamptz,
  -- A test cart that was asked for, and the newest that came.
  test_asked text,
  test_seen text,
  test_seen_at timestamptz,
  -- From when on the next report of orders was asked for.
  orders_since timestamptz
);

-- Calls of the last minutes: each counts once.
create table plugin_nonces (
  store_id uuid not null references stores on delete cascade,
  nonce text not null,
  used_at timestamptz not null,
  primary key (store_id, nonce)
);
create index plugin_nonces_old on plugin_nonces (used_at);

-- What was taken of each cart's reports: they repeat the whole state.
create table plugin_carts (
  store_id uuid not null references stores on delete cascade,
  install text not null,
  cart text not null,
  seq bigint not null,
  -- The highest that said nothing new, and so is no fact.
  repeat_seq bigint,
  -- Of each consent box: given or not, and the name of its words.
  said jsonb not null default '{}',
  seen_at timestamptz not null,
  primary key (store_id, install, cart)
);
create index plugin_carts_old on plugin_carts (seen_at);
