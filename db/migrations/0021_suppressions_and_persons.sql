-- Why nobody writes to an address: each reason is an entry of its own. So a person who takes their unsubscribe back does not take
-- an owner's or a mail server's reason along, and an owner who takes their own back does not take the person's.
alter table suppressions drop constraint suppressions_pkey,
  add primary key (account_id, address_hash, channel, reason),
  add column note text,
  add column added_by uuid references users on delete set null;
comment on table suppressions is 'Addresses that get no messages of an account; address is null once the person was erased (C1, C8)';

-- Which reason is named where an address has several: the most binding one first.
create function suppression_rank(reason text) returns integer language sql immutable parallel safe as
  $$ select array_position(array['erased', 'complaint', 'unsubscribed', 'hard_bounce', 'invalid', 'manual'], reason) $$;

create index suppressions_newest on suppressions (account_id, created_at desc, address_hash desc, channel desc, reason desc);
create index suppressions_by_reason on suppressions (account_id, reason, created_at desc, address_hash desc, channel desc);
create index suppressions_by_channel on suppressions (account_id, channel, created_at desc, address_hash desc, reason desc);
create index suppressions_by_address on suppressions (account_id, (address collate "C")) where address is not null;

create table suppression_removals (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  address_hash bytea not null,
  address text,
  channel text not null,
  reason text not null,
  source text not null,
  created_at timestamptz not null,
  removed_by uuid references users on delete set null,
  removed_at timestamptz not null,
  primary key (account_id, id)
);
comment on table suppression_removals is 'Entries an owner took off the list by hand, by whom and when';
create index suppression_removals_newest on suppression_removals (account_id, removed_at desc, id desc);
create index suppression_removals_by_address on suppression_removals (account_id, address_hash);

create table person_erasures (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  -- of the address that was asked for
  address_hash bytea not null,
  -- what is still to be erased, sealed (Y5); null once it is
  sealed bytea,
  asked_by uuid references users on delete set null,
  asked_at timestamptz not null,
  finished_at timestamptz,
  stores_total integer not null,
  stores_done integer not null default 0,
  -- rows that were erased, by what they are
  counts jsonb not null default '{}',
  primary key (account_id, id)
);
comment on table person_erasures is 'Who had a person erased, when, and how much it was; nothing of the person (C8)';
create index person_erasures_by_address on person_erasures (account_id, address_hash, asked_at desc);
create index person_erasures_open on person_erasures (asked_at) where finished_at is null;

-- By which one person is found in tables that grow.
create index customers_by_email on customers (store_id, lower(email)) where email is not null;
create index customers_by_phone on customers (store_id, phone) where phone is not null;
create index notifications_by_cart on notifications (store_id, (data ->> 'cartId')) where data ->> 'cartId' is not null;
create index reminders_by_address on reminders (store_id, to_address) where to_address is not null;
