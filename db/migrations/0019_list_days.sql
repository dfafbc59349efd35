-- How many carts are listed under each badge, now by the day (UTC) of their last activity too: a page far down the list begins at a
-- day, and nothing before it has to be counted through. Changes are only added, so that nobody waits for a counter; every minute those
-- that are new go into one row per badge and day.
truncate cart_counts;
alter table cart_counts add column day date not null, add column is_folded boolean not null default false;
create unique index cart_counts_by_day on cart_counts (store_id, badge, day) include (change) where is_folded;
create index cart_counts_to_fold on cart_counts (store_id, badge, day) where not is_folded;
create index cart_counts_empty on cart_counts (store_id) where is_folded and change = 0;

create or replace function count_listed_carts() returns trigger language plpgsql as $$
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
insert into cart_counts (store_id, badge, day, change, is_folded)
select store_id, badge, (last_activity_at at time zone 'utc')::date, count(*), true from carts
where status in ('abandoned', 'recovered', 'lost') group by 1, 2, 3;
