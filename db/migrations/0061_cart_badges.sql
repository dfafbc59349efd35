-- The badge of a cart and the times of its messages move to a table: changing a badge wrote a new version of the whole cart and 17 index entries.

-- Workers of the old version write to the columns that are dropped here. While one of them runs, this migration is retried; then it fails.
do $$
begin
  if exists (select 1 from workers where seen_at between now() - interval '10 seconds' and now() + interval '10 seconds') then
    raise exception 'another process of Recoup is running' using errcode = 'lock_not_available';
  end if;
end $$;
-- The strongest lock that this file needs, at once: waiting for it later would repeat the copy of all carts.
lock table carts, messages in access exclusive mode;

-- A cart without a row has the badge "No Action", and no message was sent about it. Every listed cart has a row.
create table cart_badges (
  store_id uuid not null,
  cart_id uuid not null,
  badge text not null default 'No Action'
    check (badge in ('No Action', 'Email Sent', 'SMS Sent', 'WhatsApp Sent', 'No Response', 'Recovered')),
  last_handed_over_at timestamptz,
  no_response_at timestamptz,
  -- The last activity of a listed cart, kept by a trigger on carts; null: it is not listed.
  listed_at timestamptz
);
insert into cart_badges
select store_id, id, badge, last_handed_over_at, no_response_at, case when status in ('abandoned', 'recovered', 'lost') then last_activity_at end
from carts
where status in ('abandoned', 'recovered', 'lost') or badge <> 'No Action' or last_handed_over_at is not null or no_response_at is not null
order by store_id, id;
-- No foreign key: rows come with their cart or with a message about it, under the lock of its shopper, and go with the cart by a trigger.
alter table cart_badges add primary key (store_id, cart_id) include (badge);
create index cart_badges_listed on cart_badges (store_id, badge, listed_at desc, cart_id desc) where listed_at is not null;
create index cart_badges_without_response on cart_badges (no_response_at) where no_response_at is not null;
-- As of carts (0030).
alter table cart_badges set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);

-- Shoppers a message was sent to, for audiences; kept by triggers on messages.
create table mailed_shoppers (
  store_id uuid not null,
  shopper_id uuid not null
);
insert into mailed_shoppers
select distinct m.store_id, m.shopper_id from messages m join shoppers s on s.store_id = m.store_id and s.id = m.shopper_id
where m.handed_over_at is not null and m.state <> 'claimed' order by m.store_id, m.shopper_id;
alter table mailed_shoppers add primary key (store_id, shopper_id);
alter table mailed_shoppers add foreign key (store_id, shopper_id) references shoppers (store_id, id) on delete cascade;

-- Triggers that kept the columns, and the counters of the list.
drop trigger carts_counted_in on carts;
drop trigger carts_counted_on on carts;
drop trigger carts_counted_out on carts;
drop trigger messages_inserted_mailed on messages;
drop trigger messages_mailed on messages;
drop function take_hand_over_to_carts();
drop function take_hand_overs_to_carts();

create or replace function read_person_of_cart() returns trigger language plpgsql as $$
begin
  select s.country into new.country from shoppers s where s.store_id = new.store_id and s.id = new.shopper_id;
  return new;
end $$;
create or replace function reread_person_of_cart() returns trigger language plpgsql as $$
begin
  update carts c set country = s.country from shoppers s
  where c.store_id = new.store_id and c.id = new.id and s.store_id = new.store_id and s.id = new.shopper_id;
  return null;
end $$;

-- Drops their indexes as well.
alter table carts drop column badge, drop column last_handed_over_at, drop column no_response_at, drop column is_mailed;

-- As before (0005, 0030), without the badge.
create index carts_audience on carts (store_id, shopper_id)
  include (id, value_minor, currency, last_activity_at, country, has_email, has_phone, product_keys)
  where status = 'abandoned' and (has_email or has_phone);
create index carts_list_by_value on carts (store_id, value_minor desc, id desc) where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_items on carts (store_id, item_count, id) where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_customer on carts (store_id, (search collate "C"), id) include (last_activity_at)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_email on carts (store_id, (email collate "C") nulls first, id) include (last_activity_at)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_phone on carts (store_id, (phone collate "C") nulls first, id) include (last_activity_at)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_by_last_name on carts (store_id, (substring(lower(customer_name) from '[^ ]+$') collate "C"), id)
  include (customer_name, last_activity_at) where status in ('abandoned', 'recovered', 'lost');

create function listed_at(status text, last_activity_at timestamptz) returns timestamptz language sql immutable parallel safe as $$
  select case when status in ('abandoned', 'recovered', 'lost') then last_activity_at end
$$;

-- A trigger, so that no statement that writes carts can forget it. It writes rows in the order in which they are locked everywhere.
create function list_carts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into cart_badges (store_id, cart_id, listed_at)
    select store_id, id, last_activity_at from new_carts where listed_at(status, last_activity_at) is not null order by 1, 2
    on conflict (store_id, cart_id) do update set listed_at = excluded.listed_at;
  elsif tg_op = 'DELETE' then
    delete from cart_badges b using old_carts o where b.store_id = o.store_id and b.cart_id = o.id;
  else
    -- Grouped, not joined: a plan made for one row would compare each old row with each new one.
    insert into cart_badges (store_id, cart_id, listed_at)
    select store_id, id, at from (
      select store_id, id, listed_at(status, last_activity_at) as at, 1 as sign from new_carts
      union all
      select store_id, id, listed_at(status, last_activity_at), -1 from old_carts) each
    group by store_id, id, at having sum(sign) > 0 order by store_id, id
    on conflict (store_id, cart_id) do update set listed_at = excluded.listed_at;
  end if;
  return null;
end $$;
create trigger carts_listed_in after insert on carts
  referencing new table as new_carts for each statement execute function list_carts();
create trigger carts_listed_on after update on carts
  referencing old table as old_carts new table as new_carts for each statement execute function list_carts();
create trigger carts_listed_out after delete on carts
  referencing old table as old_carts for each statement execute function list_carts();

-- The counters (0005) follow the listed badges.
create or replace function count_listed_carts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into cart_counts (store_id, badge, day, change)
    select store_id, badge, (listed_at at time zone 'utc')::date, count(*) from new_badges where listed_at is not null group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into cart_counts (store_id, badge, day, change)
    select store_id, badge, (listed_at at time zone 'utc')::date, -count(*) from old_badges where listed_at is not null group by 1, 2, 3;
  else
    insert into cart_counts (store_id, badge, day, change)
    select store_id, badge, day, sum(change) from (
      select store_id, badge, (listed_at at time zone 'utc')::date as day, 1 as change from new_badges where listed_at is not null
      union all
      select store_id, badge, (listed_at at time zone 'utc')::date, -1 from old_badges where listed_at is not null) moved
    group by 1, 2, 3 having sum(change) <> 0;
  end if;
  return null;
end $$;
create trigger cart_badges_counted_in after insert on cart_badges
  referencing new table as new_badges for each statement execute function count_listed_carts();
create trigger cart_badges_counted_on after update on cart_badges
  referencing old table as old_badges new table as new_badges for each statement execute function count_listed_carts();
create trigger cart_badges_counted_out after delete on cart_badges
  referencing old table as old_badges for each statement execute function count_listed_carts();

create trigger cart_badges_come after insert on cart_badges
  referencing new table as moved for each statement execute function announce_changes('carts');
create trigger cart_badges_move after update on cart_badges
  referencing new table as moved for each statement execute function announce_changes('carts');

-- A claimed message has not been sent: its `handed_over_at` only reserves a place under the frequency cap.
create function note_mailed_shopper() returns trigger language plpgsql as $$
begin
  insert into mailed_shoppers (store_id, shopper_id) values (new.store_id, new.shopper_id) on conflict do nothing;
  return null;
end $$;
create trigger messages_inserted_mailed after insert on messages for each row
  when (new.handed_over_at is not null and new.state <> 'claimed') execute function note_mailed_shopper();

-- For all rows of a statement at once: how many more, or fewer, were sent to each shopper.
create function note_mailed_shoppers() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from new_messages where handed_over_at is not null and state <> 'claimed')
    and not exists (select 1 from old_messages where handed_over_at is not null and state <> 'claimed') then return null; end if;
  with sent_to as materialized (
    select store_id, shopper_id, sum(sign) as more from (
      select store_id, shopper_id, 1 as sign from new_messages where handed_over_at is not null and state <> 'claimed'
      union all
      select store_id, shopper_id, -1 from old_messages where handed_over_at is not null and state <> 'claimed') each
    group by store_id, shopper_id having sum(sign) <> 0),
  gone as (
    delete from mailed_shoppers w using sent_to t where t.more < 0 and w.store_id = t.store_id and w.shopper_id = t.shopper_id
      and not exists (select 1 from messages m
        where m.store_id = t.store_id and m.shopper_id = t.shopper_id and m.handed_over_at is not null and m.state <> 'claimed'))
  insert into mailed_shoppers (store_id, shopper_id)
  select store_id, shopper_id from sent_to where more > 0 order by store_id, shopper_id on conflict do nothing;
  return null;
end $$;
create trigger messages_mailed after update on messages
  referencing old table as old_messages new table as new_messages for each statement execute function note_mailed_shoppers();

analyze cart_badges;
analyze mailed_shoppers;
