-- Messages: when they are due, why they were sent or not, who asked for them, and what their links lead to.

create table messages (
  store_id uuid not null,
  id uuid not null,
  -- whom it is for
  shopper_id uuid not null,
  -- what it is about; null: no cart
  cart_id uuid,
  -- What it comes from: a flow, a campaign, a member's request, or the store's own notifications. With the step, the channel, and the cart (or the shopper, where there is no cart)
  -- the key that keeps anything from being sent twice (D1).
  origin_kind text not null check (origin_kind in ('flow', 'campaign', 'manual', 'push')),
  -- the flow or campaign; of a request the message's own id, or one id for all its people without a cart
  origin_id uuid not null,
  -- the step of a flow, the run of a campaign; a request has none
  step_id uuid,
  -- the place of the step when the message was planned; the number of the run
  step integer not null,
  -- Of a message without a cart: a purchase since then ends it; null: none does.
  purchases_since timestamptz,
  -- Of a message without a cart: for whom it was planned, where two shoppers turned out to be one since.
  merged_from uuid,
  lone_shopper_id uuid generated always as (case when cart_id is null then shopper_id end) stored,
  channel text not null check (channel in ('email', 'sms', 'whatsapp', 'push')),
  state text not null check (state in
    ('scheduled', 'held', 'claimed', 'handed_over', 'sent', 'delivered', 'failed', 'unknown', 'skipped', 'cancelled')),
  reason text,
  due_at timestamptz not null,
  expires_at timestamptz not null,
  -- when it has to be looked at next: due, end of a hold, or end of a lease
  wake_at timestamptz not null,
  claim uuid,
  -- The process that is handing it over. When that process stops reporting, the message becomes unknown and is never sent a second time.
  worker_id uuid,
  attempts integer not null default 0,
  template_id uuid,
  template_version integer,
  to_address text,
  -- the coupon it left with, and its code
  coupon_id uuid,
  coupon_code text,
  subject text,
  body_html text,
  body_text text,
  provider_id text,
  provider_response text,
  segments smallint,
  -- Booked at the hand-over by the channel's price list, corrected by what the provider says; in millionths of the currency's unit.
  cost_micros bigint,
  cost_currency char(3),
  decided_at timestamptz,
  handed_over_at timestamptz,
  -- when its cart had been abandoned, as of the hand-over
  left_at timestamptz,
  finished_at timestamptz,
  -- when the person said no to its channel, by its link or as an answer to it; null: they did not, or took it back there
  unsubscribed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  constraint messages_without_cart check (cart_id is null or (purchases_since is null and merged_from is null)),
  foreign key (store_id, cart_id) references carts (store_id, id) on delete cascade,
  foreign key (store_id, lone_shopper_id) references shoppers (store_id, id) on delete cascade
);
create unique index messages_once_per_cart on messages (store_id, cart_id, origin_kind, origin_id, step_id, channel)
  nulls not distinct where cart_id is not null;
create unique index messages_once_per_shopper on messages
  (store_id, lone_shopper_id, origin_kind, origin_id, step_id, channel, merged_from)
  nulls not distinct where lone_shopper_id is not null;
create index messages_to_wake on messages (store_id, wake_at) where state in ('scheduled', 'held', 'claimed');
-- What the plan's limit holds, for the meters of an account.
create index messages_held_by_plan on messages (store_id, channel, expires_at) where state = 'held' and reason = 'plan_limit';
create index messages_in_flight on messages (worker_id) where state in ('handed_over', 'claimed');
create index messages_by_origin on messages (store_id, origin_kind, origin_id, state);
-- The people of a campaign, run by run, and those in one state.
create index messages_of_campaign on messages (store_id, origin_id, step, id) where origin_kind = 'campaign';
create index messages_of_campaign_by_state on messages (store_id, origin_id, state, step, id) where origin_kind = 'campaign';
-- Notifications a store has sent, for its statistics.
create index messages_of_push on messages (store_id, state) where channel = 'push';
create index messages_unsubscribed on messages (store_id, origin_id) where unsubscribed_at is not null;
create index messages_by_coupon on messages (store_id, coupon_id) where coupon_id is not null;
-- For the frequency cap.
create index messages_handed_over on messages (store_id, shopper_id, handed_over_at) where handed_over_at is not null;
-- For the alarms: what a mail server put off and nobody has accepted since, what was sent last, what waits for a delivery report. Without
-- the condition on the state, a planner with statistics from before a store's first large send takes this index for the frequency cap,
-- and every hand-over reads all the others.
create index messages_by_hand_over on messages (store_id, handed_over_at desc)
  where handed_over_at is not null and state <> 'handed_over';
create index messages_put_off on messages (store_id)
  where provider_response is not null and state in ('held', 'claimed', 'handed_over');
create index messages_reporting on messages (store_id, handed_over_at) where channel <> 'email' and handed_over_at is not null;
-- Reports of SMS and WhatsApp providers name a message by their own id.
create index messages_by_provider on messages (provider_id)
  where channel in ('sms', 'whatsapp') and provider_id is not null;
-- A return address and a mail provider's report name a message and no store.
create index messages_by_id on messages (id);

-- Whether anything has left for somebody stands in each of their carts (0005). Their row in shoppers is locked by whoever hands over.
create function take_hand_over_to_carts() returns trigger language plpgsql as $$
begin
  if new.handed_over_at is not null then
    update carts c set is_mailed = true where c.store_id = new.store_id and c.shopper_id = new.shopper_id and not c.is_mailed;
  else
    update carts c set is_mailed = false where c.store_id = new.store_id and c.shopper_id = new.shopper_id and c.is_mailed
      and not exists (select 1 from messages m
        where m.store_id = new.store_id and m.shopper_id = new.shopper_id and m.handed_over_at is not null);
  end if;
  return null;
end $$;
create trigger messages_inserted_mailed after insert on messages for each row
  when (new.handed_over_at is not null) execute function take_hand_over_to_carts();
create trigger messages_mailed after update of handed_over_at, shopper_id on messages for each row
  when ((old.handed_over_at is null) <> (new.handed_over_at is null)
    or (new.handed_over_at is not null and old.shopper_id <> new.shopper_id)) execute function take_hand_over_to_carts();

-- The earliest wake_at of a store's open messages; read every second.
create table send_schedule (
  store_id uuid primary key references stores on delete cascade,
  next_due_at timestamptz,
  -- what held messages for these reasons is gone; whoever sends for the store looks at them again
  wake_reasons text[] not null default '{}',
  -- one process at a time sends for a store; renewed while it does
  lease_until timestamptz
);
create index send_schedule_due on send_schedule (next_due_at) where next_due_at is not null;

create table decisions (
  store_id uuid not null,
  id uuid not null,
  message_id uuid not null,
  at timestamptz not null,
  outcome text not null check (outcome in ('send', 'hold', 'skip', 'cancel', 'result')),
  reason text not null,
  until timestamptz,
  inputs jsonb not null,
  primary key (store_id, id),
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade
);
create index decisions_by_message on decisions (store_id, message_id, at, id);

-- Attempts at composing a message from an owner's text, noted before and deleted after. One that is left here has ended its process.
create table message_compositions (
  store_id uuid not null,
  message_id uuid not null,
  attempts smallint not null,
  at timestamptz not null,
  primary key (store_id, message_id),
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade
);

-- Messages a person asked for (D9, D11): a job is a request for many, a reminder is one message.
create table bulk_sends (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  channel text not null check (channel in ('email', 'sms', 'whatsapp')),
  asked_by uuid references users on delete set null,
  send_at timestamptz,
  -- Of a discount mail; null: a reminder of a cart.
  coupon_id uuid,
  -- Of a discount mail: the page of the shop that the link of those mails leads to that are about no cart; null: the shop's home.
  cart_url text,
  -- asked for, and not carts (or customers) of the store
  missing uuid[] not null default '{}',
  created_at timestamptz not null,
  primary key (store_id, id)
);

create table manual_messages (
  store_id uuid not null,
  message_id uuid not null,
  -- as it was asked for; null: for a person, about no cart
  cart_id uuid,
  job_id uuid,
  asked_by uuid references users on delete set null,
  -- another address than the cart's own: a customer of the store (X5)
  to_address text,
  template_id uuid,
  subject text,
  body text,
  -- of a discount mail
  coupon_id uuid,
  cart_url text,
  -- of a notification
  icon_url text,
  -- a temporary reason is the answer: the message is not held (D11)
  is_immediate boolean not null,
  overrides_holdout boolean not null default false,
  -- false: another message has tried again since
  is_current boolean not null default true,
  created_at timestamptz not null,
  primary key (store_id, message_id),
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade,
  foreign key (store_id, job_id) references bulk_sends (store_id, id) on delete cascade
);
create index manual_messages_by_job on manual_messages (store_id, job_id, cart_id) where job_id is not null;
create index manual_messages_by_address on manual_messages (store_id, to_address) where to_address is not null;

-- What a request was answered with, to answer its repetitions with the same (D9).
create table idempotency_keys (
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
create index idempotency_keys_old on idempotency_keys (expires_at);

-- Tokens in the links of one message. Each is good for one purpose (X1); only its hash is stored.
create table link_tokens (
  store_id uuid not null,
  token_hash bytea not null,
  -- null: a link of a test message, which opens a cart and belongs to no message
  message_id uuid,
  -- null: of a message without a cart
  cart_id uuid,
  -- back: the way from the restore page to the store, which lets another browser continue the cart; good for two days
  purpose text not null check (purpose in ('restore', 'click', 'unsubscribe', 'preferences', 'back', 'push')),
  target text,
  is_test boolean not null default false,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Of a way back: when the shop's plugin first asked what it leads to.
  asked_at timestamptz,
  primary key (store_id, token_hash),
  constraint link_tokens_have_message check (message_id is not null or is_test),
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade
);
-- A link names no store.
create index link_tokens_by_hash on link_tokens (token_hash);
create index link_tokens_by_message on link_tokens (store_id, message_id);
-- Deleting those that have expired.
create index link_tokens_old on link_tokens (expires_at);

-- Clicks and restores that orders are attributed to.
create table touchpoints (
  store_id uuid not null,
  id uuid not null,
  message_id uuid not null,
  -- null: of a message without a cart
  cart_id uuid,
  shopper_id uuid not null,
  kind text not null check (kind in ('click', 'restore', 'coupon')),
  is_human boolean not null,
  class_reason text not null,
  at timestamptz not null,
  primary key (store_id, id),
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade
);
create index touchpoints_by_shopper on touchpoints (store_id, shopper_id, at) where is_human;
create index touchpoints_by_message on touchpoints (store_id, message_id) where is_human;
create index touchpoints_by_cart on touchpoints (store_id, cart_id, at);

-- Requests of a message's picture and links, by a person or a machine, and why that is believed. Apart from touches, which attribute:
-- nothing is ever decided by opens. No IP address and no user agent is stored.
create table engagement_events (
  store_id uuid not null,
  -- of a click the id of its touch
  id uuid not null,
  message_id uuid not null,
  -- unsubscribe_link: the unsubscribe link was requested · honeypot: the link no person sees
  kind text not null check (kind in ('open', 'click', 'unsubscribe_link', 'honeypot')),
  -- which of the message's links; empty for picture and honeypot
  link text not null,
  -- of a click the address it led to, without what follows a question mark; null: the page of the cart
  target text,
  -- unknown: not counted as a person
  class text not null check (class in ('human', 'machine', 'unknown')),
  class_reason text not null,
  at timestamptz not null,
  primary key (store_id, id),
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade
);
create index engagement_events_by_message on engagement_events (store_id, message_id, at);
