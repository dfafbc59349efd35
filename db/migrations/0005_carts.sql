-- Carts, their events, and the orders that end them.

-- The products of a cart, each as one number; null where they are too many for an index.
create function cart_product_keys(items jsonb) returns bigint[] language sql immutable parallel safe as $$
  select case when count(distinct item ->> 'productId') <= 100
    then coalesce(array_agg(distinct hashtextextended(item ->> 'productId', 0)), '{}') end
  from jsonb_array_elements(items) item
$$;

create table carts (
  store_id uuid not null,
  id uuid not null,
  shopper_id uuid not null,
  status text not null check (status in ('active', 'abandoned', 'recovered', 'purchased', 'emptied', 'lost', 'merged')),
  badge text not null default 'No Action'
    check (badge in ('No Action', 'Email Sent', 'SMS Sent', 'WhatsApp Sent', 'No Response', 'Recovered')),
  version integer not null default 1,
  started_at timestamptz not null,
  last_activity_at timestamptz not null,
  -- null while there is nothing in the cart
  abandon_at timestamptz,
  abandoned_at timestamptz,
  ended_at timestamptz,
  recovered_at timestamptz,
  pending_until timestamptz,
  lost_at timestamptz not null,
  no_response_at timestamptz,
  last_handed_over_at timestamptz,
  merged_into uuid,
  opening_fact_id uuid not null,
  last_fact_at timestamptz not null,
  last_fact_id uuid not null,
  customer_name text not null,
  email text,
  phone text,
  items jsonb not null,
  item_count integer not null,
  value_minor bigint not null,
  -- what it was worth when it was abandoned; null: it is not, or the same
  abandoned_minor bigint,
  currency char(3) not null,
  coupons jsonb not null default '[]',
  search text not null,
  fold jsonb not null,
  created_at timestamptz not null,
  -- What audiences ask of the shopper stands in each of their carts too, kept by triggers: where they live, and whether a message of ours
  -- has left for them.
  country text,
  is_mailed boolean not null default false,
  -- of the browser in which it was filled first, for the figures (decision 99)
  device_class text generated always as (fold -> 'episode' ->> 'deviceClass') stored,
  has_email boolean not null generated always as (email is not null) stored,
  has_phone boolean not null generated always as (phone is not null) stored,
  product_keys bigint[] generated always as (cart_product_keys(items)) stored,
  primary key (store_id, id),
  foreign key (store_id, shopper_id) references shoppers (store_id, id) on delete cascade
);
create index carts_by_shopper on carts (store_id, shopper_id, started_at);
create index carts_to_abandon on carts (abandon_at) where status = 'active' and abandon_at is not null;
create index carts_to_lose on carts (lost_at) where status = 'abandoned';
create index carts_without_response on carts (no_response_at) where no_response_at is not null;
-- Captured carts that a draft order without a match may belong to (S6).
create index carts_without_contact on carts (store_id, last_activity_at)
  where status in ('active', 'abandoned') and email is null and phone is null;
-- Whoever left one, for discount mail; of several of a shopper the one left last counts.
create index carts_abandoned on carts (store_id, last_activity_at desc, id desc) include (shopper_id, started_at)
  where status = 'abandoned';
-- How many people the audience of a campaign has: counted in the index alone, person by person. The few carts of very many products are
-- looked at themselves.
create index carts_audience on carts (store_id, shopper_id)
  include (value_minor, currency, last_activity_at, badge, country, is_mailed, has_email, has_phone, product_keys)
  where status = 'abandoned' and (has_email or has_phone);
create index carts_of_many_products on carts (store_id) where status = 'abandoned' and product_keys is null;
-- Carts being filled at this moment, newest activity first.
create index carts_active on carts (store_id, last_activity_at desc, id desc) include (value_minor, currency)
  where status = 'active' and abandon_at is not null;

-- The list can be sorted by every column, and searched by the beginning of a name, an email or a number. Byte order makes one index serve
-- both, whatever the database's language. Missing values sort first. What a search counts and sorts by is included in the index, so that
-- thousands of matches are read without their rows; an expression is read from an index only together with the columns it is made of.
create index carts_list_by_activity on carts (store_id, last_activity_at desc, id desc)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_badge on carts (store_id, badge, last_activity_at desc, id desc)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_value on carts (store_id, value_minor desc, id desc) include (badge)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_items on carts (store_id, item_count, id) include (badge)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_customer on carts (store_id, (search collate "C"), id) include (badge, last_activity_at)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_email on carts (store_id, (email collate "C") nulls first, id) include (badge, last_activity_at)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_phone on carts (store_id, (phone collate "C") nulls first, id) include (badge, last_activity_at)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_by_last_name on carts (store_id, (substring(lower(customer_name) from '[^ ]+$') collate "C"), id)
  include (customer_name, badge, last_activity_at) where status in ('abandoned', 'recovered', 'lost');

create function read_person_of_cart() returns trigger language plpgsql as $$
begin
  select s.country into new.country from shoppers s where s.store_id = new.store_id and s.id = new.shopper_id;
  new.is_mailed := exists (select 1 from messages m
    where m.store_id = new.store_id and m.shopper_id = new.shopper_id and m.handed_over_at is not null);
  return new;
end $$;
create trigger carts_of_person before insert on carts for each row execute function read_person_of_cart();

-- A shopper was found to be another.
create function reread_person_of_cart() returns trigger language plpgsql as $$
begin
  update carts c set country = s.country, is_mailed = exists (select 1 from messages m
      where m.store_id = new.store_id and m.shopper_id = new.shopper_id and m.handed_over_at is not null)
  from shoppers s
  where c.store_id = new.store_id and c.id = new.id and s.store_id = new.store_id and s.id = new.shopper_id;
  return null;
end $$;
create trigger carts_moved after update of shopper_id on carts for each row
  when (old.shopper_id is distinct from new.shopper_id) execute function reread_person_of_cart();

create function take_country_to_carts() returns trigger language plpgsql as $$
begin
  update carts c set country = new.country
  where c.store_id = new.store_id and c.shopper_id = new.id and c.country is distinct from new.country;
  return null;
end $$;
create trigger shoppers_country after update of country on shoppers for each row
  when (old.country is distinct from new.country) execute function take_country_to_carts();

create table cart_events (
  store_id uuid not null,
  id uuid not null,
  cart_id uuid not null,
  at timestamptz not null,
  kind text not null,
  detail jsonb not null default '{}',
  primary key (store_id, id),
  foreign key (store_id, cart_id) references carts (store_id, id) on delete cascade
);
create index cart_events_by_cart on cart_events (store_id, cart_id, at, id);

create table orders (
  store_id uuid not null references stores on delete cascade,
  order_id text not null,
  shopper_id uuid,
  cart_id uuid,
  kind text not null,
  status text not null,
  created_at timestamptz not null,
  modified_at timestamptz not null,
  purchased_at timestamptz,
  currency char(3) not null,
  total_minor bigint not null,
  net_minor bigint not null,
  email text,
  phone text,
  is_staff boolean not null default false,
  content_hash text not null default '',
  touchpoint_id uuid,
  message_id uuid,
  primary key (store_id, order_id)
);
create index orders_by_shopper on orders (store_id, shopper_id, purchased_at) where purchased_at is not null;
create index orders_by_purchase on orders (store_id, purchased_at) where purchased_at is not null;
create index orders_by_cart on orders (store_id, cart_id) where cart_id is not null;
-- What the messages of a campaign brought in.
create index orders_by_message on orders (store_id, message_id) include (currency, net_minor) where message_id is not null;
-- Whether somebody who matches is about to pay (S4).
create index orders_pending on orders (store_id, shopper_id) where kind = 'pending';

-- How many carts are listed under each badge, by the day (UTC) of their last activity: a page far down the list begins at a day, and
-- nothing before it has to be counted through. Changes are only added, so that nobody waits for a counter; every minute the new ones are
-- folded into one row per badge and day.
create table cart_counts (
  store_id uuid not null,
  id uuid not null default gen_random_uuid(),
  badge text not null,
  day date not null,
  change bigint not null,
  is_folded boolean not null default false,
  primary key (store_id, id)
);
create unique index cart_counts_by_day on cart_counts (store_id, badge, day) include (change) where is_folded;
create index cart_counts_to_fold on cart_counts (store_id, badge, day) where not is_folded;
create index cart_counts_empty on cart_counts (store_id) where is_folded and change = 0;

-- By trigger, in the transaction that changes the cart: no statement that writes carts can forget it.
create function count_listed_carts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into cart_counts (store_id, badge, day, change)
    select store_id, badge, (last_activity_at at time zone 'utc')::date, count(*) from new_carts
    where status in ('abandoned', 'recovered', 'lost') group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into cart_counts (store_id, badge, day, change)
    select store_id, badge, (last_activity_at at time zone 'utc')::date, -count(*) from old_carts
    where status in ('abandoned', 'recovered', 'lost') group by 1, 2, 3;
  else
    insert into cart_counts (store_id, badge, day, change)
    select store_id, badge, day, sum(change) from (
      select store_id, badge, (last_activity_at at time zone 'utc')::date as day, 1 as change from new_carts
      where status in ('abandoned', 'recovered', 'lost')
      union all
      select store_id, badge, (last_activity_at at time zone 'utc')::date, -1 from old_carts
      where status in ('abandoned', 'recovered', 'lost')) moved
    group by 1, 2, 3 having sum(change) <> 0;
  end if;
  return null;
end $$;
create trigger carts_counted_in after insert on carts
  referencing new table as new_carts for each statement execute function count_listed_carts();
create trigger carts_counted_on after update on carts
  referencing old table as old_carts new table as new_carts for each statement execute function count_listed_carts();
create trigger carts_counted_out after delete on carts
  referencing old table as old_carts for each statement execute function count_listed_carts();
