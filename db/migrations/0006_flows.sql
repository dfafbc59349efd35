-- Templates, and the flows whose steps send them.

create table templates (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  key text not null,
  name text not null,
  subject text not null,
  body text not null,
  version integer not null default 1,
  updated_at timestamptz not null,
  primary key (store_id, id)
);

create table flows (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  -- those an owner edits, and the store's own notifications (0022)
  kind text not null default 'flow' check (kind in ('flow', 'push')),
  name text not null,
  is_on boolean not null default false,
  switched_on_at timestamptz,
  -- carts whose last activity is at or after this instant are taken
  takes_from timestamptz,
  holdout_bps integer not null default 0 check (holdout_bps between 0 and 5000),
  salt text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
);

create unique index flows_of_push on flows (store_id) where kind = 'push';

create table flow_steps (
  store_id uuid not null,
  flow_id uuid not null,
  -- names the step for good: its messages say it, whatever its place is later
  id uuid not null default gen_random_uuid(),
  step integer not null check (step between 1 and 20),
  delay_minutes integer not null check (delay_minutes between 1 and 110000),
  channel text not null check (channel in ('email', 'sms', 'whatsapp', 'push')),
  template_id uuid not null,
  -- The coupon of the step's messages, and what becomes of a message for which it is not valid or which is not to have one (decisions 35, 36).
  coupon_id uuid,
  coupon_fallback text not null default 'without' check (coupon_fallback in ('without', 'skip')),
  coupon_first_order_only boolean not null default false,
  -- not for whoever used a coupon of ours in so many days; null: that is not asked
  coupon_pause_days integer default 90 check (coupon_pause_days between 1 and 3650),
  -- only for carts above this value; null: for any
  coupon_above_minor bigint check (coupon_above_minor > 0),
  primary key (store_id, flow_id, step),
  foreign key (store_id, flow_id) references flows (store_id, id) on delete cascade,
  foreign key (store_id, template_id) references templates (store_id, id) on delete cascade
);
