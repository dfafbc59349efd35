-- Consent, its proof and its wording, the addresses that get no messages, and the erasure of people.

create table consents (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  address_hash bytea not null,
  channel text not null check (channel in ('email', 'sms', 'whatsapp', 'push')),
  -- pending: a consent that awaits its confirmation (double opt-in)
  status text not null check (status in ('pending', 'granted', 'withdrawn')),
  is_confirmed boolean not null default false,
  source text not null,
  wording text,
  -- a masked address (j•••@example.com), so that people can be told apart in the list; erased with the person
  who text,
  -- what proves it beyond wording and time: reason and note of the preference page, file, line and given source of an import
  evidence jsonb,
  at timestamptz not null,
  primary key (store_id, id)
);
comment on column consents.is_confirmed is 'The person answered the confirming SMS; only with status granted';
create index consents_by_address on consents (store_id, address_hash, channel, at desc);
create index consents_newest on consents (store_id, at desc, id desc);
create index consents_by_kind on consents (store_id, source, channel, status, at desc, id desc);

-- Who is asked by SMS to confirm a consent: once per store and number, whatever comes of it.
create table opt_in_requests (
  store_id uuid not null references stores on delete cascade,
  channel text not null check (channel in ('sms', 'whatsapp')),
  address_hash bytea not null,
  -- E.164 until it was asked; null afterwards
  phone text,
  country text,
  state text not null check (state in ('waiting', 'asked', 'answered', 'failed', 'dropped')),
  -- what was asked, word for word; null while it waits
  wording text,
  created_at timestamptz not null,
  due_at timestamptz not null,
  asked_at timestamptz,
  provider_id text,
  primary key (store_id, channel, address_hash)
);
comment on table opt_in_requests is 'Double opt-in: the one SMS which asks a person to confirm a consent given in the shop';
create index opt_in_requests_due on opt_in_requests (due_at) where state = 'waiting';
create index opt_in_requests_asked on opt_in_requests (address_hash, channel, asked_at desc) where state = 'asked';

-- Where an owner relaxed a rule of the consent table, on what legal ground, who and when (C6).
create table consent_overrides (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  channel text not null check (channel in ('email', 'sms')),
  -- ISO 3166-1 alpha-2; '*': every country whose rule is from_rule
  country text not null check (country ~ '^([A-Z]{2}|\*)$'),
  from_rule text not null,
  to_rule text not null,
  legal_ground text not null check (length(legal_ground) between 20 and 2000),
  created_at timestamptz not null,
  created_by uuid references users on delete set null,
  created_by_name text not null,
  ended_at timestamptz,
  ended_by uuid references users on delete set null,
  ended_by_name text,
  primary key (store_id, id)
);
comment on table consent_overrides is 'Rules of the consent table an owner relaxed; ended ones stay for the record';
create index consent_overrides_newest on consent_overrides (store_id, created_at desc, id desc);
create unique index consent_overrides_in_force on consent_overrides (store_id, channel, country, from_rule) where ended_at is null;

-- The wording of a store's consent boxes, where its team changed it; only this counts when the shop's page reports a tick.
create table consent_wordings (
  store_id uuid not null references stores on delete cascade,
  channel text not null check (channel in ('email', 'sms', 'whatsapp')),
  words text not null,
  updated_at timestamptz not null,
  updated_by uuid references users on delete set null,
  primary key (store_id, channel)
);

-- When the capture script last saw a channel's box on a checkout, and which wording it names; '' when it names none.
create table consent_boxes (
  store_id uuid not null references stores on delete cascade,
  channel text not null check (channel in ('email', 'sms', 'whatsapp')),
  wording_id text not null,
  seen_at timestamptz not null,
  primary key (store_id, channel)
);

-- The owner's own wording of the preference page, per language; null: the built-in wording.
create table preference_wordings (
  store_id uuid not null references stores on delete cascade,
  language text not null check (language in ('en', 'de')),
  headline text,
  intro text,
  email text,
  sms text,
  whatsapp text,
  updated_at timestamptz not null,
  primary key (store_id, language)
);
comment on table preference_wordings is 'What the preference page of a store says, where its owner changed it';

create table consent_imports (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  file_name text not null,
  -- the file as text; null once it was imported, or after a day if nobody went on
  content text,
  delimiter text not null,
  columns text[] not null,
  row_count integer not null,
  state text not null check (state in ('uploaded', 'running', 'done', 'failed')),
  mapping jsonb,
  -- what the rows rest on, in the words of whoever confirmed it
  legal_ground text,
  confirmed_by text,
  uploaded_at timestamptz not null,
  confirmed_at timestamptz,
  finished_at timestamptz,
  done_count integer not null default 0,
  added_count integer not null default 0,
  known_count integer not null default 0,
  refused_count integer not null default 0,
  primary key (store_id, id)
);
comment on table consent_imports is 'Files of consents given elsewhere, and on what ground they were taken in';
create index consent_imports_newest on consent_imports (store_id, uploaded_at desc, id desc);
create index consent_imports_old on consent_imports (uploaded_at) where content is not null;

create table consent_import_errors (
  store_id uuid not null,
  import_id uuid not null,
  line integer not null,
  -- null where no address could be read
  address_hash bytea,
  cells text[] not null,
  problem text not null,
  at timestamptz not null,
  primary key (store_id, import_id, line),
  foreign key (store_id, import_id) references consent_imports (store_id, id) on delete cascade
);
comment on table consent_import_errors is 'Rows of an import that were not taken, for its report; kept for a week';
create index consent_import_errors_old on consent_import_errors (at);
create index consent_import_errors_of_person on consent_import_errors (store_id, address_hash) where address_hash is not null;

-- Why nobody writes to an address: each reason is a row of its own. A person who takes their unsubscribe back does not remove an owner's
-- or a mail server's reason, and an owner who takes their own back does not remove the person's. address_hash is keyed, so that an erased
-- person's row still works (C1, C8).
create table suppressions (
  account_id uuid not null references accounts on delete cascade,
  address_hash bytea not null,
  channel text not null check (channel in ('all', 'email', 'sms', 'whatsapp', 'push')),
  address text,
  reason text not null check (reason in ('unsubscribed', 'complaint', 'hard_bounce', 'manual', 'invalid', 'erased')),
  source text not null,
  note text,
  added_by uuid references users on delete set null,
  created_at timestamptz not null,
  primary key (account_id, address_hash, channel, reason)
);
comment on table suppressions is 'Addresses that get no messages of an account; address is null once the person was erased (C1, C8)';
create index suppressions_newest on suppressions (account_id, created_at desc, address_hash desc, channel desc, reason desc);
create index suppressions_by_reason on suppressions (account_id, reason, created_at desc, address_hash desc, channel desc);
create index suppressions_by_channel on suppressions (account_id, channel, created_at desc, address_hash desc, reason desc);
create index suppressions_by_address on suppressions (account_id, (address collate "C")) where address is not null;

-- Which reason is shown where an address has several: the most binding one.
create function suppression_rank(reason text) returns integer language sql immutable parallel safe as
  $$ select array_position(array['erased', 'complaint', 'unsubscribed', 'hard_bounce', 'invalid', 'manual'], reason) $$;

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
  -- what is still to be erased, encrypted (Y5); null once it is
  encrypted bytea,
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

-- What an erased person says and does later is stored under their hash only (C8): whoever writes it, nothing names them again.
create function is_erased(of_account uuid, hash bytea) returns boolean language plpgsql stable as $$
begin
  return exists (select 1 from suppressions where account_id = of_account and address_hash = hash and reason = 'erased');
end $$;

create function keep_suppression_nameless() returns trigger language plpgsql as $$
begin
  if is_erased(new.account_id, new.address_hash) then
    new.address := null;
    new.note := null;
  end if;
  return new;
end $$;
create trigger suppressions_nameless before insert on suppressions for each row
  when (new.address is not null or new.note is not null) execute function keep_suppression_nameless();

create function keep_consent_nameless() returns trigger language plpgsql as $$
begin
  if is_erased((select account_id from stores where id = new.store_id), new.address_hash) then
    new.who := null;
    new.evidence := null;
  end if;
  return new;
end $$;
create trigger consents_nameless before insert on consents for each row execute function keep_consent_nameless();
