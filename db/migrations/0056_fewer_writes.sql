-- Less work for each change of a message and of its cart.

-- Replaced by messages_by_worker (0055). What is being sent always has a worker; a row without one would never be closed.
update messages set worker_id = gen_random_uuid() where state in ('handed_over', 'claimed') and worker_id is null;
drop index messages_in_flight;

-- As before (0038). Carts that a statement leaves as they are counted here cancel each other out before their slots are found, as all do when
-- messages were sent for them and their badges change.
create or replace function roll_up_carts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into rollup_changes (store_id, slot, currency, abandoned, abandoned_recovered, recovered)
    select c.store_id, m.slot, c.currency, sum(m.abandoned), sum(m.abandoned_recovered), sum(m.recovered)
    from new_carts c, cart_marks(c.status, c.abandoned_at, c.recovered_at, c.is_void) m group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into rollup_changes (store_id, slot, currency, abandoned, abandoned_recovered, recovered)
    select c.store_id, m.slot, c.currency, -sum(m.abandoned), -sum(m.abandoned_recovered), -sum(m.recovered)
    from old_carts c, cart_marks(c.status, c.abandoned_at, c.recovered_at, c.is_void) m group by 1, 2, 3;
  else
    insert into rollup_changes (store_id, slot, currency, abandoned, abandoned_recovered, recovered)
    select c.store_id, m.slot, c.currency, sum(c.more * m.abandoned), sum(c.more * m.abandoned_recovered), sum(c.more * m.recovered)
    from (
      select store_id, currency, status, abandoned_at, recovered_at, is_void, sum(sign) as more from (
        select store_id, currency, status, abandoned_at, recovered_at, is_void, 1 as sign from new_carts
        union all
        select store_id, currency, status, abandoned_at, recovered_at, is_void, -1 from old_carts) each
      group by store_id, currency, status, abandoned_at, recovered_at, is_void having sum(sign) <> 0) c,
      cart_marks(c.status, c.abandoned_at, c.recovered_at, c.is_void) m
    group by 1, 2, 3
    having sum(c.more * m.abandoned) <> 0 or sum(c.more * m.abandoned_recovered) <> 0 or sum(c.more * m.recovered) <> 0;
  end if;
  return null;
end $$;
