-- SMS and WhatsApp of an account: providers, what people write back, what providers report, and what it costs.

-- By whom, with what, and where their providers report to. What is secret is encrypted (Y5).
create table channel_credentials (
  account_id uuid not null references accounts on delete cascade,
  channel text not null check (channel in ('sms', 'whatsapp')),
  -- sandbox: the built-in phones, operator: the operator's own account, while nothing is configured
  provider text not null check (provider in ('twilio', 'meta', 'sandbox', 'operator')),
  -- part of the addresses the provider calls; opaque, and nothing of the account can be read from it
  hook_key text not null,
  encrypted bytea not null,
  -- what the provider calls the account by
  identity jsonb not null,
  -- [{country: alpha-2 or null, sender}]
  senders jsonb not null default '[]',
  -- WhatsApp: the chosen template with the variables that fill its placeholders
  template jsonb,
  -- as the provider listed them
  templates jsonb not null default '[]',
  templates_at timestamptz,
  check_answer text not null,
  checked_at timestamptz not null,
  version integer not null default 0,
  updated_at timestamptz not null,
  primary key (account_id, channel),
  constraint channel_credentials_hook_key_key unique (hook_key)
);

-- What people wrote to us, once each: a repeated or late delivery of the same text changes nothing.
create table inbound_messages (
  account_id uuid not null references accounts on delete cascade,
  channel text not null check (channel in ('sms', 'whatsapp')),
  -- the provider's id
  event_key text not null,
  address_hash bytea not null,
  -- the keyword it was (C4); null: any other text, which is not stored
  keyword text check (keyword in ('stop', 'start', 'help', 'yes')),
  at timestamptz not null,
  -- where the provider takes no answer with its own request: whom to answer, until that is done
  reply_to text,
  received_at timestamptz not null,
  primary key (account_id, channel, event_key)
);
create index inbound_messages_by_address on inbound_messages (account_id, channel, address_hash, at desc) where keyword is not null;
create index inbound_messages_old on inbound_messages (received_at);

-- A shopper's own newest message: WhatsApp allows free text for 24 hours after it.
create table text_windows (
  account_id uuid not null references accounts on delete cascade,
  channel text not null check (channel in ('sms', 'whatsapp')),
  address_hash bytea not null,
  inbound_at timestamptz not null,
  primary key (account_id, channel, address_hash)
);

-- Everything a provider has said of a message, once: its state is a function of the set, whatever the order of arrival.
create table delivery_reports (
  account_id uuid not null references accounts on delete cascade,
  channel text not null check (channel in ('sms', 'whatsapp')),
  provider_id text not null,
  status text not null check (status in ('sent', 'delivered', 'read', 'failed')),
  code text,
  suppress text check (suppress in ('unsubscribed', 'invalid')),
  at timestamptz not null,
  primary key (account_id, channel, provider_id, status)
);

-- Messages whose price the provider has yet to tell.
create table price_lookups (
  store_id uuid not null,
  provider_id text not null,
  account_id uuid not null references accounts on delete cascade,
  channel text not null check (channel in ('sms', 'whatsapp')),
  message_id uuid not null,
  tries smallint not null default 0,
  next_at timestamptz not null,
  primary key (store_id, provider_id),
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade
);
create index price_lookups_next on price_lookups (next_at);
create index price_lookups_by_message on price_lookups (store_id, message_id);

create table sending_budgets (
  account_id uuid primary key references accounts on delete cascade,
  monthly_micros bigint not null check (monthly_micros >= 0),
  currency char(3) not null,
  updated_at timestamptz not null
);

-- Of the calendar month (UTC), changed in the hand-over's own transaction, so that a budget stops exactly.
create table sending_spend (
  account_id uuid not null references accounts on delete cascade,
  month date not null,
  currency char(3) not null,
  micros bigint not null default 0,
  primary key (account_id, month, currency)
);
