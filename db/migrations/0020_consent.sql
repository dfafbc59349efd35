-- A yes that still awaits its confirmation (double opt-in), and one that was confirmed.
alter table consents
  drop constraint consents_status_check,
  add constraint consents_status_check check (status in ('pending', 'granted', 'withdrawn')),
  add column is_confirmed boolean not null default false;
comment on column consents.is_confirmed is 'The person answered the confirming SMS; only with status granted';

-- Who is asked by SMS to confirm a yes: once per store and number, whatever comes of it.
create table consent_questions (
  store_id uuid not null references stores on delete cascade,
  channel text not null check (channel in ('sms', 'whatsapp')),
  address_hash bytea not null,
  -- E.164, until it was asked; null afterwards
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
comment on table consent_questions is 'Double opt-in: the one SMS which asks a person to confirm a consent given in the shop';
create index consent_questions_due on consent_questions (due_at) where state = 'waiting';
create index consent_questions_asked on consent_questions (address_hash, channel, asked_at desc) where state = 'asked';

-- Where an owner relaxed a rule of the consent table, on what legal ground, who and when (C6).
create table consent_relaxations (
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
comment on table consent_relaxations is 'Rules of the consent table an owner relaxed; ended ones stay for the record';
create index consent_relaxations_newest on consent_relaxations (store_id, created_at desc, id desc);
create unique index consent_relaxations_in_force on consent_relaxations (store_id, channel, country, from_rule) where ended_at is null;

-- Whether everybody has to confirm an SMS consent, or only where the consent table asks for it.
alter table stores
  add column sms_confirmation text not null default 'where_required' check (sms_confirmation in ('where_required', 'always'));

alter table inbound_texts drop constraint inbound_texts_keyword_check,
  add constraint inbound_texts_keyword_check check (keyword in ('stop', 'start', 'help', 'yes'));
