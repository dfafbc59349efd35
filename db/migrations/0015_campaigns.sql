-- Campaigns: scheduled sends, their runs, and the audiences kept by a name.

create table campaigns (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  name text not null,
  description text not null default '',
  type text not null check (type in ('email', 'sms', 'whatsapp', 'push')),
  status text not null check (status in ('scheduled', 'active', 'paused', 'completed', 'sent', 'cancelled')),
  audience_type text not null check (audience_type in ('abandoned_carts', 'specific_customers')),
  audience_mode text not null check (audience_mode in ('selected', 'matching')),
  filters jsonb not null default '{}',
  -- what its words began with
  template_key text not null,
  -- its own words
  template_id uuid not null,
  -- as of a flow's step (decisions 35, 36)
  coupon_id uuid,
  coupon_fallback text not null default 'without' check (coupon_fallback in ('without', 'skip')),
  coupon_first_order_only boolean not null default false,
  coupon_pause_days integer default 90 check (coupon_pause_days between 1 and 3650),
  coupon_above_minor bigint check (coupon_above_minor > 0),
  -- a day and a time of the store's clocks (T3)
  start_date date not null,
  time_of_day text not null,
  frequency text not null check (frequency in ('once', 'daily', 'weekly', 'monthly')),
  delay_hours integer not null,
  -- null: as fast as the rate allows
  spread_hours integer check (spread_hours between 1 and 72),
  -- when it runs next; null: not again
  next_run_at timestamptz,
  -- the zone that was reckoned by: of a store that has another one it is reckoned anew
  run_zone text not null,
  -- the newest run that has begun; 0: none
  run integer not null default 0,
  -- since somebody pressed Send Now, which ends the schedule; it then ends as sent
  sent_now_at timestamptz,
  -- its times, when they were set, were later than that day or more than one
  is_planned boolean not null default false,
  -- null: a member paused it
  paused_by text check (paused_by in ('bounces', 'complaints', 'plan', 'payment', 'cart_words')),
  -- why its next run was put off; null: it was not
  put_off_by text check (put_off_by in ('own_words')),
  -- bounces and complaints count of what left since then: since it was paused for them last
  watched_from timestamptz,
  created_by uuid references users on delete set null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (store_id, id),
  foreign key (store_id, template_id) references templates (store_id, id),
  foreign key (store_id, coupon_id) references coupons (store_id, id) on delete set null (coupon_id)
);
create index campaigns_list on campaigns (store_id, created_at desc, id desc) where deleted_at is null;
-- What has to be begun, gone on with or ended.
create index campaigns_to_run on campaigns (next_run_at) where next_run_at is not null and status in ('scheduled', 'active');
create index campaigns_running on campaigns (store_id) where status in ('scheduled', 'active') and run > 0;

-- Chosen by hand; with a cart, or of specific_customers without one.
create table campaign_people (
  store_id uuid not null,
  campaign_id uuid not null,
  -- an email, or a number in the form of E.164
  address text not null,
  primary key (store_id, campaign_id, address),
  foreign key (store_id, campaign_id) references campaigns (store_id, id) on delete cascade
);
create index campaign_people_by_address on campaign_people (store_id, address);

-- A run makes its rows in pages; the place it has come to is kept with them.
create table campaign_runs (
  store_id uuid not null,
  campaign_id uuid not null,
  run integer not null,
  -- its messages say it as their step
  id uuid not null,
  -- when it was to happen, by which its rows are due
  at timestamptz not null,
  started_at timestamptz not null,
  -- the newest cart (or customer) of the last page; null: no page yet
  cursor_at timestamptz,
  cursor_id uuid,
  -- null: its rows are still being made
  planned_at timestamptz,
  primary key (store_id, campaign_id, run),
  foreign key (store_id, campaign_id) references campaigns (store_id, id) on delete cascade
);
create index campaign_runs_to_plan on campaign_runs (store_id, campaign_id) where planned_at is null;

-- Sets of filters kept by a name.
create table audiences (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  name text not null,
  filters jsonb not null,
  created_at timestamptz not null,
  primary key (store_id, id)
);
create unique index audiences_by_name on audiences (store_id, lower(name));
