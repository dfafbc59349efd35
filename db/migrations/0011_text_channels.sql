-- SMS and WhatsApp of an account: by whom, with what, and where their providers report to. What is secret is sealed (Y5).
create table channel_credentials (
  account_id uuid not null references accounts on delete cascade,
  channel text not null check (channel in ('sms', 'whatsapp')),
  -- sandbox: the built-in phones, while nothing is configured
  provider text not null check (provider in ('twilio', 'meta', 'sandbox')),
  -- stands in the addresses the provider calls; opaque, and nothing of the account can be read off it
  hook_key text not null,
  sealed bytea not null,
  -- what the provider calls the account by
  identity jsonb not null,
  -- [{country: alpha-2 or null, sender}]
  senders jsonb not null default '[]',
  -- WhatsApp: the chosen template with the variables that go into its places
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

-- What people wrote to us, once each: a repeated or late delivery of the same words changes nothing.
create table inbound_texts (
  account_id uuid not null references accounts on delete cascade,
  channel text not null check (channel in ('sms', 'whatsapp')),
  -- the provider's id
  event_key text not null,
  address_hash bytea not null,
  -- the keyword it was (C4); null: just words, which are not kept
  keyword text check (keyword in ('stop', 'start', 'help')),
  at timestamptz not null,
  -- where the provider takes no answer with its own request: whom to answer, until that was done
  reply_to text,
  received_at timestamptz not null,
  primary key (account_id, channel, event_key)
);
create index inbound_texts_by_address on inbound_texts (account_id, channel, address_hash, at desc) where keyword is not null;
create index inbound_texts_old on inbound_texts (received_at);

-- Messages whose price the provider has still to say.
create table prices_due (
  account_id uuid not null references accounts on delete cascade,
  provider_id text not null,
  channel text not null check (channel in ('sms', 'whatsapp')),
  store_id uuid not null,
  message_id uuid not null,
  tries smallint not null default 0,
  next_at timestamptz not null,
  primary key (account_id, provider_id),
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade
);
create index prices_due_next on prices_due (next_at);
create index prices_due_by_message on prices_due (store_id, message_id);
