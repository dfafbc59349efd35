-- SMS and WhatsApp: decision 12, and what they cost.
alter table stores
  add column text_cooldown_hours smallint not null default 24 check (text_cooldown_hours between 1 and 168);
alter table messages
  add column segments smallint,
  -- Booked at the hand-over by the channel's price list, corrected by what the provider says; millionths of the currency's unit.
  add column cost_micros bigint,
  add column cost_currency char(3);
-- Reports of providers name a message by their own id.
create index messages_by_provider on messages (provider_id)
  where channel in ('sms', 'whatsapp') and provider_id is not null;

create table sending_budgets (
  account_id uuid primary key references accounts on delete cascade,
  monthly_micros bigint not null check (monthly_micros >= 0),
  currency char(3) not null,
  updated_at timestamptz not null
);
-- Of the calendar month (UTC), moved in the hand-over's own transaction, so that a budget stops exactly.
create table sending_spend (
  account_id uuid not null references accounts on delete cascade,
  month date not null,
  currency char(3) not null,
  micros bigint not null default 0,
  primary key (account_id, month, currency)
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

-- A shopper's own newest message: WhatsApp allows free text for 24 hours after it.
create table text_windows (
  account_id uuid not null references accounts on delete cascade,
  channel text not null check (channel in ('sms', 'whatsapp')),
  address_hash bytea not null,
  inbound_at timestamptz not null,
  primary key (account_id, channel, address_hash)
);

-- Messages a person asked for (D9, D11): one row per message; a job is a request for many.
create table send_jobs (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  channel text not null check (channel in ('email', 'sms', 'whatsapp')),
  asked_by uuid references users on delete set null,
  send_at timestamptz,
  -- asked for, and no carts of the store
  missing uuid[] not null default '{}',
  created_at timestamptz not null,
  primary key (store_id, id)
);
create table reminders (
  store_id uuid not null,
  message_id uuid not null,
  cart_id uuid not null,
  job_id uuid,
  asked_by uuid references users on delete set null,
  -- another address than the cart's own: a customer of the store (X5)
  to_address text,
  template_id uuid,
  subject text,
  body text,
  -- a temporary reason is the answer: it is not held (D11)
  is_immediate boolean not null,
  overrides_holdout boolean not null default false,
  -- false: tried again since by another message
  is_current boolean not null default true,
  created_at timestamptz not null,
  primary key (store_id, message_id),
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade,
  foreign key (store_id, job_id) references send_jobs (store_id, id) on delete cascade
);
create index reminders_by_job on reminders (store_id, job_id, cart_id) where job_id is not null;

-- D9: what a request was answered with, to answer its repetitions.
create table repeatable_requests (
  store_id uuid not null references stores on delete cascade,
  user_id uuid not null references users on delete cascade,
  key text not null,
  body_hash bytea not null,
  -- the message or job it made
  made uuid not null,
  answer jsonb,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (store_id, user_id, key)
);
create index repeatable_requests_old on repeatable_requests (expires_at);

-- The links of a test message open a cart and belong to no message.
alter table link_tokens alter column message_id drop not null,
  add constraint link_tokens_have_message check (message_id is not null or is_test);
