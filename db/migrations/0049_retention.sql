-- How long a store keeps its shoppers' data (C10). null: for as long as it is connected, which stores that exist keep until their owner
-- chooses. New stores begin with 180 days.
alter table stores add column retention_days smallint check (retention_days between 30 and 730);
alter table stores alter column retention_days set default 180;

-- When a person's data was erased, by request (C8) or by retention; null again when they return. Figures need to know that there was a
-- customer, or a cart with a contact, but not who it was: had_contact keeps that.
alter table shoppers add column ended_at timestamptz;
alter table shoppers add column had_contact boolean not null default false;
alter table carts add column had_contact boolean not null default false;

-- One run a night, by the store's calendar. The cursor follows the order of its shoppers' index: first seen, id.
create table retention_runs (
  store_id uuid not null references stores on delete cascade,
  day date not null,
  -- as it was when the run began
  days smallint not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  cursor_at timestamptz,
  cursor_id uuid,
  -- people: without an order, and with one
  contacts integer not null default 0,
  customers integer not null default 0,
  -- rows by table
  counts jsonb not null default '{}',
  primary key (store_id, day)
);
