-- What a person chose to read the shopper's pages in; null: what their browser asks for.
alter table shoppers add column language text check (language in ('en', 'de'));

-- A token is good for one purpose (X1); which purposes there are is named in the code.
alter table link_tokens drop constraint link_tokens_purpose_check,
  add constraint link_tokens_purpose_check check (purpose ~ '^[a-z][a-z_]+$');

-- The owner's own words on the preference page, per language; null: the words that come along.
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

alter table consents
  -- a masked address (j•••@example.com), so that a person can be told from another in the list; erased with the person
  add column who text,
  -- what proves it beyond wording and time: reason and note of the preference page, file, line and given source of an import
  add column evidence jsonb;
create index consents_newest on consents (store_id, at desc, id desc);
create index consents_by_kind on consents (store_id, source, channel, status, at desc, id desc);

create table consent_imports (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  file_name text not null,
  -- the file as text; null once it was read in, or after a day if nobody went on
  content text,
  delimiter text not null,
  columns text[] not null,
  row_count integer not null,
  state text not null check (state in ('uploaded', 'running', 'done', 'failed')),
  mapping jsonb,
  -- what the rows rest on, in the words of who confirmed it
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

create table consent_refusals (
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
comment on table consent_refusals is 'Rows of an import that were not taken, for its report; kept for a week';
create index consent_refusals_old on consent_refusals (at);
create index consent_refusals_of_person on consent_refusals (store_id, address_hash) where address_hash is not null;
