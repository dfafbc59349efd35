-- How many shoppers saw a consent box, and how many ticked it, by day. Only counts: no row names a shopper or a cart.
create table consent_box_counts (
  store_id uuid not null references stores on delete cascade,
  day date not null,
  place text not null check (place in ('block', 'classic', 'account', 'page')),
  channel text not null check (channel in ('email', 'sms', 'whatsapp')),
  -- '': a text that the store no longer shows
  wording_id text not null,
  shown integer not null default 0,
  ticked integer not null default 0,
  -- ticks in a store that keeps nothing before consent: it hears only of shoppers who agreed, so there is nothing to divide them by
  ticked_alone integer not null default 0,
  primary key (store_id, day, place, channel, wording_id)
);
comment on table consent_box_counts is 'How many shoppers saw a consent box and how many ticked it, by day, place and text';
create index consent_box_counts_old on consent_box_counts (day);

-- Which carts are counted already. `view` is a keyed hash, and the row ends after two days.
create table consent_box_views (
  store_id uuid not null references stores on delete cascade,
  view text not null,
  place text not null,
  channel text not null,
  wording_id text not null,
  day date not null,
  is_ticked boolean not null,
  is_alone boolean not null,
  seen_at timestamptz not null,
  primary key (store_id, view, place, channel)
);
comment on table consent_box_views is 'Consent boxes that were counted already, so that a cart counts once; for two days';
create index consent_box_views_old on consent_box_views (seen_at);
