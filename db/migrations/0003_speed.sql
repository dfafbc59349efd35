-- Only what the alarm asks for fits it. Without the second condition it looked as good for the frequency cap as the index by
-- person, to a planner whose statistics are from before a store's first large send, and every hand-over read all the others.
drop index messages_by_hand_over;
create index messages_by_hand_over on messages (store_id, handed_over_at desc)
  where handed_over_at is not null and state <> 'handed_over';

-- Every column of the list can be sorted by, and the beginning of a name, an email or a number searched for. Byte order makes one
-- index serve both, whatever the database's language. What is not there sorts before everything.
create index carts_list_by_customer on carts (store_id, (search collate "C"), id)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_email on carts (store_id, (email collate "C") nulls first, id)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_phone on carts (store_id, (phone collate "C") nulls first, id)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_items on carts (store_id, item_count, id)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_by_last_name on carts (store_id, (substring(lower(customer_name) from '[^ ]+$') collate "C"), id)
  where status in ('abandoned', 'recovered', 'lost');

-- How many carts are listed under each badge: the sum of `change`. Rows are only added, so that nobody waits for a counter;
-- every minute they are folded into one per badge.
create table cart_counts (
  store_id uuid not null,
  id uuid not null default gen_random_uuid(),
  badge text not null,
  change bigint not null,
  primary key (store_id, id)
);

-- By trigger, in the causing transaction: no statement that writes carts can forget it.
create function count_listed_carts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into cart_counts (store_id, badge, change)
    select store_id, badge, count(*) from new_carts where status in ('abandoned', 'recovered', 'lost') group by 1, 2;
  elsif tg_op = 'DELETE' then
    insert into cart_counts (store_id, badge, change)
    select store_id, badge, -count(*) from old_carts where status in ('abandoned', 'recovered', 'lost') group by 1, 2;
  else
    insert into cart_counts (store_id, badge, change)
    select store_id, badge, sum(change) from (
      select store_id, badge, 1 as change from new_carts where status in ('abandoned', 'recovered', 'lost')
      union all
      select store_id, badge, -1 from old_carts where status in ('abandoned', 'recovered', 'lost')) moved
    group by 1, 2 having sum(change) <> 0;
  end if;
  return null;
end $$;
create trigger carts_counted_in after insert on carts
  referencing new table as new_carts for each statement execute function count_listed_carts();
create trigger carts_counted_on after update on carts
  referencing old table as old_carts new table as new_carts for each statement execute function count_listed_carts();
create trigger carts_counted_out after delete on carts
  referencing old table as old_carts for each statement execute function count_listed_carts();
insert into cart_counts (store_id, badge, change)
select store_id, badge, count(*) from carts where status in ('abandoned', 'recovered', 'lost') group by 1, 2;
