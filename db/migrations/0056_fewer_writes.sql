-- Less work for each change of a message and of its cart.

-- Every message that is claimed or being sent has a worker: messages_by_worker (0055) finds those of processes that ended. Rows without a worker
-- get an unknown one, so that the next check closes them.
update messages set worker_id = gen_random_uuid() where state in ('handed_over', 'claimed') and worker_id is null;
alter table messages add constraint messages_has_worker
  check (state not in ('handed_over', 'claimed') or worker_id is not null) not valid;

-- As before (0038), but old and new rows with equal values cancel out before their slots are computed: a change of a badge costs nothing here.
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
