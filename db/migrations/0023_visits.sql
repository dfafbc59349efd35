-- Who came to a message's picture and links, person or machine, and why that is believed. Apart from touches, which attribute: nothing is
-- ever decided by opens. No address and no user agent is kept.
create table visits (
  store_id uuid not null,
  -- of a click the id of its touch
  id uuid not null,
  message_id uuid not null,
  -- way_out: the unsubscribe link was looked at · trap: the link no person sees
  kind text not null check (kind in ('open', 'click', 'way_out', 'trap')),
  -- which of the message's links; empty for picture and trap
  link text not null,
  -- unknown: counts as nobody
  class text not null check (class in ('human', 'machine', 'unknown')),
  class_reason text not null,
  at timestamptz not null,
  primary key (store_id, id),
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade
);
create index visits_by_message on visits (store_id, message_id, at);
