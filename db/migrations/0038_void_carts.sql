-- A cart whose order was cancelled, or refunded in full, keeps its state (S3) and counts neither as recovered nor as bought.
alter table carts add column is_void boolean not null default false;

create function cart_marks(status text, abandoned_at timestamptz, recovered_at timestamptz, is_void boolean)
returns table (slot timestamptz, abandoned integer, abandoned_recovered integer, recovered integer)
language sql immutable as $$
  select rollup_slot(m.at), m.abandoned, m.abandoned_recovered, m.recovered
  from (values (abandoned_at, 1, (status = 'recovered' and not is_void)::integer, 0),
    (case when status = 'recovered' and not is_void then recovered_at end, 0, 0, 1)) m (at, abandoned, abandoned_recovered, recovered)
  where m.at is not null and status <> 'merged'
$$;

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
    select store_id, slot, currency, sum(sign * abandoned), sum(sign * abandoned_recovered), sum(sign * recovered)
    from (
      select c.store_id, c.currency, m.*, 1 as sign from new_carts c, cart_marks(c.status, c.abandoned_at, c.recovered_at, c.is_void) m
      union all
      select c.store_id, c.currency, m.*, -1 from old_carts c, cart_marks(c.status, c.abandoned_at, c.recovered_at, c.is_void) m) moved
    group by 1, 2, 3
    having sum(sign * abandoned) <> 0 or sum(sign * abandoned_recovered) <> 0 or sum(sign * recovered) <> 0;
  end if;
  return null;
end $$;
drop function cart_marks(text, timestamptz, timestamptz);

create or replace function note_cart_figures() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into figure_changes (store_id, subject, at)
    select distinct c.store_id, d.subject, rollup_slot(d.at)
    from new_carts c, lateral (values ('carts', c.started_at), ('products', c.abandoned_at)) d (subject, at) where d.at is not null;
  elsif tg_op = 'DELETE' then
    insert into figure_changes (store_id, subject, at)
    select distinct c.store_id, d.subject, rollup_slot(d.at)
    from old_carts c, lateral (values ('carts', c.started_at), ('products', c.abandoned_at)) d (subject, at) where d.at is not null;
  else
    insert into figure_changes (store_id, subject, at)
    select distinct c.store_id, d.subject, rollup_slot(d.at)
    from (
      select store_id, started_at, abandoned_at from (
        select store_id, id, status, started_at, abandoned_at, shopper_id, currency, country, device_class, is_void,
          case when abandoned_at is not null then coalesce(abandoned_minor, value_minor) end as minor,
          case when abandoned_at is not null then jsonb_hash_extended(items, 0) end as items, 1 as sign from new_carts
        union all
        select store_id, id, status, started_at, abandoned_at, shopper_id, currency, country, device_class, is_void,
          case when abandoned_at is not null then coalesce(abandoned_minor, value_minor) end,
          case when abandoned_at is not null then jsonb_hash_extended(items, 0) end, -1 from old_carts) moved
      group by store_id, id, status, started_at, abandoned_at, shopper_id, currency, country, device_class, is_void, minor, items
      having sum(sign) <> 0) c,
      lateral (values ('carts', c.started_at), ('products', c.abandoned_at)) d (subject, at) where d.at is not null;
    insert into figure_changes (store_id, cart_id)
    select distinct store_id, merged_into from (
      select store_id, id, merged_into, 1 as sign from new_carts where merged_into is not null
      union all select store_id, id, merged_into, -1 from old_carts where merged_into is not null) moved
    group by store_id, id, merged_into having sum(sign) <> 0;
  end if;
  return null;
end $$;
