-- Shoppers and what is known about them. What the shops' pages post becomes facts; everything else is derived from facts.

-- What the shops' pages posted about carts, as it came: stored and answered at once, turned into facts a moment later.
create table capture_inbox (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  received_at timestamptz not null,
  post jsonb not null,
  primary key (store_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
-- Nearly always empty: it serves the search for posts that a process left behind.
create index capture_inbox_by_time on capture_inbox (received_at);

-- How many new contacts a store took in each hour: the limit is a multiple of the usual hour.
create table capture_hours (
  store_id uuid not null references stores on delete cascade,
  hour timestamptz not null,
  contacts integer not null,
  primary key (store_id, hour)
);

-- A shopper is everything that merging keys hold together (engine: Identity). Device tokens match and never merge.
create table shoppers (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  email text,
  phone text,
  first_name text,
  last_name text,
  country char(2),
  country_source text,
  -- what the shopper chose to read the shop's pages in; null: what their browser asks for
  language text check (language in ('en', 'de')),
  arm text check (arm in ('treated', 'control')),
  -- when the arm was assigned: of two people found to be one, the earlier assignment is kept (F1)
  arm_at timestamptz,
  is_member boolean not null default false,
  created_at timestamptz not null,
  -- the earliest time the store knows of: of a fact, or of their registration
  first_seen_at timestamptz not null,
  -- of the store's customer record that is theirs, the newest where there are several; the engine reads none of these (decision 40)
  is_registered boolean not null default false,
  account_email text,
  account_phone text,
  account_first_name text,
  account_last_name text,
  company text,
  last_login_at timestamptz,
  -- what the list of customers shows, sorts and searches: the record's own words before those typed elsewhere
  is_customer boolean not null generated always as (is_registered or email is not null or phone is not null) stored,
  customer_email text generated always as (coalesce(account_email, email)) stored,
  customer_phone text generated always as (coalesce(account_phone, phone)) stored,
  customer_first_name text generated always as (
    case when account_first_name is null and account_last_name is null then first_name else account_first_name end) stored,
  customer_last_name text generated always as (
    case when account_first_name is null and account_last_name is null then last_name else account_last_name end) stored,
  customer_name text not null generated always as (lower(btrim(
    case when account_first_name is null and account_last_name is null
      then coalesce(first_name, '') || ' ' || coalesce(last_name, '')
      else coalesce(account_first_name, '') || ' ' || coalesce(account_last_name, '') end))) stored,
  primary key (store_id, id),
  constraint shoppers_arm_at check ((arm is null) = (arm_at is null))
);
create index shoppers_by_email on shoppers (store_id, email) where email is not null;

-- The list of customers (decision 40), as that of carts (0005). Registered ones and guests are two stretches of each index: a filter reads
-- one of them, the whole list both side by side.
create index customer_list_by_time on shoppers (store_id, is_registered, first_seen_at desc, id desc) where is_customer;
create index customer_list_by_name on shoppers (store_id, is_registered, (customer_name collate "C"), id)
  include (customer_name, first_seen_at) where is_customer;
create index customer_list_by_last_name on shoppers (store_id, is_registered, (lower(customer_last_name) collate "C"), id)
  include (customer_last_name, first_seen_at) where is_customer;
create index customer_list_by_email on shoppers (store_id, is_registered, (customer_email collate "C") nulls first, id)
  include (customer_email, first_seen_at) where is_customer;
create index customer_list_by_phone on shoppers (store_id, is_registered, (customer_phone collate "C") nulls first, id)
  include (customer_phone, first_seen_at) where is_customer;
create index customer_list_by_company on shoppers (store_id, is_registered, (lower(company) collate "C") nulls first, id)
  include (company) where is_customer;
create index customer_list_by_last_login on shoppers (store_id, is_registered, last_login_at nulls first, id) where is_customer;

-- How many customers are listed, by the day (UTC) they were first seen; as cart_counts (0005).
create table customer_counts (
  store_id uuid not null,
  id uuid not null default gen_random_uuid(),
  is_registered boolean not null,
  day date not null,
  change bigint not null,
  is_folded boolean not null default false,
  primary key (store_id, id)
);
create unique index customer_counts_by_day on customer_counts (store_id, is_registered, day) include (change) where is_folded;
create index customer_counts_to_fold on customer_counts (store_id, is_registered, day) where not is_folded;
create index customer_counts_empty on customer_counts (store_id) where is_folded and change = 0;

create function count_listed_customers() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into customer_counts (store_id, is_registered, day, change)
    select store_id, is_registered, (first_seen_at at time zone 'utc')::date, count(*) from new_shoppers
    where is_customer group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into customer_counts (store_id, is_registered, day, change)
    select store_id, is_registered, (first_seen_at at time zone 'utc')::date, -count(*) from old_shoppers
    where is_customer group by 1, 2, 3;
  else
    insert into customer_counts (store_id, is_registered, day, change)
    select store_id, is_registered, day, sum(change) from (
      select store_id, is_registered, (first_seen_at at time zone 'utc')::date as day, 1 as change from new_shoppers where is_customer
      union all
      select store_id, is_registered, (first_seen_at at time zone 'utc')::date, -1 from old_shoppers where is_customer) moved
    group by 1, 2, 3 having sum(change) <> 0;
  end if;
  return null;
end $$;
create trigger shoppers_counted_in after insert on shoppers
  referencing new table as new_shoppers for each statement execute function count_listed_customers();
create trigger shoppers_counted_on after update on shoppers
  referencing old table as old_shoppers new table as new_shoppers for each statement execute function count_listed_customers();
create trigger shoppers_counted_out after delete on shoppers
  referencing old table as old_shoppers for each statement execute function count_listed_customers();

-- What an email address is matched by: without its +tag, and at Gmail without dots and under one domain. A match can stop messages and
-- does nothing else: nobody is merged by it. It is an expression of the address and is stored nowhere by itself, so that it goes with
-- whoever is erased (C8). Placeholders and an empty name stay as they are: they stand for nobody.
create function email_match_key(email text) returns text language sql immutable strict parallel safe as $$
  select case
    when split_part(split_part(email, '@', 1), '+', 1) = ''
      or split_part(split_part(email, '@', 1), '+', 1) ~
        '^(no-?reply|no-?mail|no-?email|none|guest|customer|walk-?in|pos|test|na|n\.a|anonymous|unknown)[0-9]*$'
      then email
    when split_part(email, '@', 2) in ('gmail.com', 'googlemail.com')
      then replace(split_part(split_part(email, '@', 1), '+', 1), '.', '') || '@gmail.com'
    else split_part(split_part(email, '@', 1), '+', 1) || '@' || split_part(email, '@', 2)
  end
$$;

create table shopper_keys (
  store_id uuid not null,
  kind text not null check (kind in ('email', 'phone', 'customer', 'cart', 'order', 'device')),
  value text not null,
  shopper_id uuid not null,
  primary key (store_id, kind, value, shopper_id),
  foreign key (store_id, shopper_id) references shoppers (store_id, id) on delete cascade
);
-- A merging key names one shopper; a device may name several.
create unique index shopper_keys_merging on shopper_keys (store_id, kind, value) where kind <> 'device';
create index shopper_keys_by_shopper on shopper_keys (store_id, shopper_id);
create index shopper_keys_by_match on shopper_keys (store_id, email_match_key(value)) where kind = 'email';

-- Contacts typed into a shop's page above the limits on new contacts (X5). The cart is kept. The contact gets no messages until an order,
-- a draft or the plugin confirms it, and it neither matches nor merges anybody.
create table unconfirmed_contacts (
  store_id uuid not null,
  shopper_id uuid not null,
  kind text not null check (kind in ('email', 'phone')),
  value text not null,
  -- which limit was reached: one client's, or the whole store's
  reason text not null check (reason in ('client', 'store')),
  said_at timestamptz not null,
  primary key (store_id, shopper_id, kind, value),
  foreign key (store_id, shopper_id) references shoppers (store_id, id) on delete cascade
);
create index unconfirmed_contacts_by_value on unconfirmed_contacts (store_id, value);
create index unconfirmed_contacts_by_time on unconfirmed_contacts (store_id, said_at);

create table facts (
  store_id uuid not null,
  id uuid not null,
  shopper_id uuid not null,
  kind text not null check (kind in ('snapshot', 'contact', 'order', 'lost')),
  source text not null check (source in ('capture', 'plugin', 'webhook', 'sync', 'engine')),
  at timestamptz not null,
  unique_key text not null,
  payload jsonb not null,
  received_at timestamptz not null,
  primary key (store_id, id),
  constraint facts_unique_key_key unique (store_id, unique_key),
  foreign key (store_id, shopper_id) references shoppers (store_id, id) on delete cascade
);
create index facts_by_shopper on facts (store_id, shopper_id, at, id);
-- The posts of one page, however many facts the shopper has.
create index facts_by_page on facts (store_id, shopper_id, (payload ->> 'page'), ((payload ->> 'seq')::integer))
  where payload ->> 'page' is not null;
