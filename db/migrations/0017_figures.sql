-- What Advanced Analytics counts, by day of the store's own calendar (decisions 91 to 101). A day's figures are counted from the rows
-- themselves, anew whenever something of the day has changed: what changed is noted by triggers in the transaction that changes it.

-- Changes since the last count. Rows are only added, so that nobody waits for a counter; no reference to the store, as they are also
-- added while it is deleted.
create table figure_changes (
  store_id uuid not null,
  id uuid not null default gen_random_uuid(),
  -- the figures of the day of this moment: 'carts' of those that began, 'products' of those abandoned, 'messages' of one handed over,
  -- 'orders' of one bought (without anything else: of every day); 'all': everything of every day
  subject text check (subject in ('carts', 'products', 'messages', 'orders', 'all')),
  at timestamptz,
  -- the funnel of the day on which this cart began
  cart_id uuid,
  -- what this message counts in now
  message_id uuid,
  -- with 'messages': whose orders after it may be assisted by it; with 'orders': whose carts and orders from then on are looked at anew
  shopper_id uuid,
  primary key (store_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Days to be counted anew.
create table figure_days (
  store_id uuid not null references stores on delete cascade,
  subject text not null check (subject in ('carts', 'products', 'funnel', 'messages', 'orders')),
  day date not null,
  -- what has changed of it, has changed after this; null: it was never counted, or everything is counted anew
  noted_at timestamptz,
  -- many old days at once wait for more of the same
  due_at timestamptz not null,
  primary key (store_id, subject, day)
);

-- How far a store is counted.
create table figure_counts (
  store_id uuid primary key references stores on delete cascade,
  -- when no change was left that had not been noted by its day
  taken_at timestamptz,
  -- what happened since may be missing; null: it was never counted, or everything is counted anew
  counted_at timestamptz,
  -- when many old days were counted last, or will be
  many_at timestamptz
);

-- Carts in each of four ways: all, by country, by device, and by whether the shopper had ordered before. A merged cart counts for nothing.
create table cart_figures (
  store_id uuid not null references stores on delete cascade,
  dimension text not null check (dimension in ('all', 'country', 'device', 'shopper')),
  day date not null,
  -- '': of all, or not known
  key text not null,
  currency char(3) not null,
  -- carts that began on the day, and of them: no longer active, abandoned as of now, bought
  began bigint not null,
  began_over bigint not null,
  began_abandoned bigint not null,
  began_bought bigint not null,
  -- carts abandoned on the day and their value; of them not bought as of now; recovered
  abandoned bigint not null,
  abandoned_minor bigint not null,
  unbought bigint not null,
  unbought_minor bigint not null,
  recovered bigint not null,
  primary key (store_id, dimension, day, key, currency)
);

-- Of carts that began on the day, by channel and of all channels: with a message that left and was not refused, one a person opened,
-- one a person clicked, and recovered by one.
create table funnel_figures (
  store_id uuid not null references stores on delete cascade,
  channel text not null check (channel in ('all', 'email', 'sms', 'whatsapp', 'push')),
  day date not null,
  sent bigint not null,
  opened bigint not null,
  clicked bigint not null,
  converted bigint not null,
  primary key (store_id, channel, day)
);

-- Messages handed over on the day.
create table message_figures (
  store_id uuid not null references stores on delete cascade,
  day date not null,
  channel text not null,
  origin_kind text not null,
  -- of the flow or campaign; nil: by hand
  origin_id uuid not null,
  -- of the flow's step; nil: none
  step_id uuid not null,
  -- where the cart had been abandoned so many hours before, see `hourBounds`; -1: no cart
  from_hour integer not null,
  -- of the amounts; '': counts
  currency char(3) not null,
  accepted bigint not null,
  opened bigint not null,
  -- opened by machines and by no person
  machine_opened bigint not null,
  clicked bigint not null,
  -- with at least one order attributed
  credited bigint not null,
  bounced bigint not null,
  unsubscribed bigint not null,
  complained bigint not null,
  attributed_minor bigint not null,
  -- taken off by their codes
  discount_minor bigint not null,
  cost_micros bigint not null,
  primary key (store_id, day, channel, origin_kind, origin_id, step_id, from_hour, currency)
);

-- Orders bought on the day; one refunded or cancelled in full does not count. Assisted: not attributed, and a message had left for the
-- shopper within the attribution window before.
create table order_figures (
  store_id uuid not null references stores on delete cascade,
  day date not null,
  source text not null check (source in ('attributed', 'assisted', 'organic')),
  currency char(3) not null,
  orders bigint not null,
  net_minor bigint not null,
  -- of customers, who can be told from others: with an email, a phone or an account
  customers_minor bigint not null,
  -- the first of their customer in this currency
  firsts bigint not null,
  primary key (store_id, day, source, currency)
);

-- Carts abandoned on the day that hold the product; of them recovered; the value of its lines in those not bought.
create table product_figures (
  store_id uuid not null references stores on delete cascade,
  day date not null,
  product_id text not null,
  currency char(3) not null,
  abandoned bigint not null,
  recovered bigint not null,
  lost_minor bigint not null,
  primary key (store_id, day, product_id, currency)
);

-- The same by month: a long range is the sum of these, and days for its ragged ends.
create table product_month_figures (
  store_id uuid not null references stores on delete cascade,
  -- the first day
  month date not null,
  product_id text not null,
  currency char(3) not null,
  abandoned bigint not null,
  recovered bigint not null,
  lost_minor bigint not null,
  primary key (store_id, month, product_id, currency)
);

-- The same of a range of so many days, for its list: added up when somebody looks at the range for the first time on a day, and moved with
-- the days in it from then on.
create table product_ranges (
  store_id uuid not null references stores on delete cascade,
  days integer not null,
  -- the last of them
  until date not null,
  primary key (store_id, days)
);
create table product_range_figures (
  store_id uuid not null references stores on delete cascade,
  days integer not null,
  currency char(3) not null,
  product_id text not null,
  abandoned bigint not null,
  recovered bigint not null,
  lost_minor bigint not null,
  primary key (store_id, days, currency, product_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 5000);
create index product_range_figures_list on product_range_figures (store_id, days, currency, lost_minor desc, abandoned desc, product_id)
  where abandoned > 0;

-- What a product was called when it was last in a cart that was abandoned: the store's list may know it no more.
create table figure_products (
  store_id uuid not null references stores on delete cascade,
  product_id text not null,
  name text not null,
  sku text,
  image_url text,
  -- the day of that cart
  seen_on date not null default '-infinity',
  primary key (store_id, product_id)
);

-- When the report of a week is due for a store (decision 100).
create table weekly_report_clocks (
  store_id uuid primary key references stores on delete cascade,
  due_at timestamptz not null
);
create index weekly_report_clocks_due on weekly_report_clocks (due_at);

-- The newest report of each member: made once.
create table weekly_reports (
  store_id uuid not null references stores on delete cascade,
  user_id uuid not null references users on delete cascade,
  -- on which it is due
  monday date not null,
  -- null: not handed to the mail server yet
  handed_at timestamptz,
  primary key (store_id, user_id, monday)
);

-- Distinct people cannot be added up from days: they are counted for a range when somebody looks, at most every 15 minutes, in a store of
-- many orders in the background.
create table counted_figures (
  store_id uuid not null references stores on delete cascade,
  days integer not null,
  -- since when somebody waits for a newer count; null: nobody does
  asked_at timestamptz,
  -- null, as all below: not counted yet
  counted_at timestamptz,
  -- the last of the days
  until date,
  buyers bigint,
  new_buyers bigint,
  returning_buyers bigint,
  -- with at least two orders ever
  repeat_buyers bigint,
  orders bigint,
  primary key (store_id, days)
);

create index counted_figures_asked on counted_figures (asked_at) where asked_at is not null;
create index carts_by_start on carts (store_id, started_at);
create index carts_by_abandonment on carts (store_id, abandoned_at) where abandoned_at is not null;
