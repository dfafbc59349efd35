-- What the dashboard and reports count, so that none of them reads carts or orders.

-- Per store, quarter of an hour in UTC, and currency. Days and hours of every time zone begin with a quarter, so a store's own days are
-- sums of slots, and a store that moves to another zone needs nothing counted again. The slot '-infinity' holds the sum of all slots of
-- a currency.
create table rollups (
  store_id uuid not null references stores on delete cascade,
  slot timestamptz not null,
  currency char(3) not null,
  -- carts by abandoned_at, and those of them that are recovered by now
  abandoned bigint not null,
  abandoned_recovered bigint not null,
  -- carts by recovered_at
  recovered bigint not null,
  -- net revenue of attributed orders by purchased_at
  attributed_minor bigint not null,
  -- how many orders that is; an order refunded or cancelled in full does not count
  attributed_orders bigint not null default 0,
  primary key (store_id, slot, currency)
);

-- The same sums by day of UTC: a span of many days is the sum of these, and slots only for its ragged ends. Written by the fold.
create table rollup_days (
  store_id uuid not null references stores on delete cascade,
  day timestamptz not null,
  currency char(3) not null,
  abandoned bigint not null,
  abandoned_recovered bigint not null,
  recovered bigint not null,
  attributed_minor bigint not null,
  attributed_orders bigint not null default 0,
  primary key (store_id, day, currency)
);

-- What has changed since the last fold. Rows are only added, so that nobody waits for a counter; no reference to the store, as they
-- are also added while it is deleted. A figure is the sum of both tables.
create table rollup_changes (
  store_id uuid not null,
  id uuid not null default gen_random_uuid(),
  slot timestamptz not null,
  currency char(3) not null,
  abandoned bigint not null default 0,
  abandoned_recovered bigint not null default 0,
  recovered bigint not null default 0,
  attributed_minor bigint not null default 0,
  attributed_orders bigint not null default 0,
  primary key (store_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Distinct people cannot be added up from slots: they are counted every 15 minutes.
create table active_shopper_counts (
  store_id uuid primary key references stores on delete cascade,
  counted_at timestamptz not null,
  -- in the 30 store-local days up to today, and in the 30 before
  active integer not null,
  active_before integer not null
);

create function rollup_slot(at timestamptz) returns timestamptz language sql immutable as
  $$ select date_bin('15 minutes', at, '2000-01-01T00:00Z') $$;

-- What one cart counts for, and where. A cart merged into another counts for nothing.
create function cart_marks(status text, abandoned_at timestamptz, recovered_at timestamptz)
returns table (slot timestamptz, abandoned integer, abandoned_recovered integer, recovered integer)
language sql immutable as $$
  select rollup_slot(m.at), m.abandoned, m.abandoned_recovered, m.recovered
  from (values (abandoned_at, 1, (status = 'recovered')::integer, 0),
    (case when status = 'recovered' then recovered_at end, 0, 0, 1)) m (at, abandoned, abandoned_recovered, recovered)
  where m.at is not null and status <> 'merged'
$$;

-- What one order counts for, in its slot and in the total.
create function order_marks(touchpoint_id uuid, purchased_at timestamptz, net_minor bigint)
returns table (slot timestamptz, attributed_minor bigint, attributed_orders integer)
language sql immutable as $$
  select m.slot, net_minor, (net_minor > 0)::integer from (values (rollup_slot(purchased_at)), ('-infinity'::timestamptz)) m (slot)
  where touchpoint_id is not null and purchased_at is not null and net_minor <> 0
$$;

-- By trigger, in the transaction that changes cart or order: no statement that writes them can forget it.
create function roll_up_carts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into rollup_changes (store_id, slot, currency, abandoned, abandoned_recovered, recovered)
    select c.store_id, m.slot, c.currency, sum(m.abandoned), sum(m.abandoned_recovered), sum(m.recovered)
    from new_carts c, cart_marks(c.status, c.abandoned_at, c.recovered_at) m group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into rollup_changes (store_id, slot, currency, abandoned, abandoned_recovered, recovered)
    select c.store_id, m.slot, c.currency, -sum(m.abandoned), -sum(m.abandoned_recovered), -sum(m.recovered)
    from old_carts c, cart_marks(c.status, c.abandoned_at, c.recovered_at) m group by 1, 2, 3;
  else
    insert into rollup_changes (store_id, slot, currency, abandoned, abandoned_recovered, recovered)
    select store_id, slot, currency, sum(sign * abandoned), sum(sign * abandoned_recovered), sum(sign * recovered)
    from (
      select c.store_id, c.currency, m.*, 1 as sign from new_carts c, cart_marks(c.status, c.abandoned_at, c.recovered_at) m
      union all
      select c.store_id, c.currency, m.*, -1 from old_carts c, cart_marks(c.status, c.abandoned_at, c.recovered_at) m) moved
    group by 1, 2, 3
    having sum(sign * abandoned) <> 0 or sum(sign * abandoned_recovered) <> 0 or sum(sign * recovered) <> 0;
  end if;
  return null;
end $$;
create trigger carts_rolled_in after insert on carts
  referencing new table as new_carts for each statement execute function roll_up_carts();
create trigger carts_rolled_on after update on carts
  referencing old table as old_carts new table as new_carts for each statement execute function roll_up_carts();
create trigger carts_rolled_out after delete on carts
  referencing old table as old_carts for each statement execute function roll_up_carts();

create function roll_up_orders() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into rollup_changes (store_id, slot, currency, attributed_minor, attributed_orders)
    select o.store_id, m.slot, o.currency, sum(m.attributed_minor), sum(m.attributed_orders)
    from new_orders o, order_marks(o.touchpoint_id, o.purchased_at, o.net_minor) m group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into rollup_changes (store_id, slot, currency, attributed_minor, attributed_orders)
    select o.store_id, m.slot, o.currency, -sum(m.attributed_minor), -sum(m.attributed_orders)
    from old_orders o, order_marks(o.touchpoint_id, o.purchased_at, o.net_minor) m group by 1, 2, 3;
  else
    insert into rollup_changes (store_id, slot, currency, attributed_minor, attributed_orders)
    select store_id, slot, currency, sum(sign * attributed_minor), sum(sign * attributed_orders)
    from (
      select o.store_id, o.currency, m.*, 1 as sign from new_orders o, order_marks(o.touchpoint_id, o.purchased_at, o.net_minor) m
      union all
      select o.store_id, o.currency, m.*, -1 from old_orders o, order_marks(o.touchpoint_id, o.purchased_at, o.net_minor) m) moved
    group by 1, 2, 3 having sum(sign * attributed_minor) <> 0 or sum(sign * attributed_orders) <> 0;
  end if;
  return null;
end $$;
create trigger orders_rolled_in after insert on orders
  referencing new table as new_orders for each statement execute function roll_up_orders();
create trigger orders_rolled_on after update on orders
  referencing old table as old_orders new table as new_orders for each statement execute function roll_up_orders();
create trigger orders_rolled_out after delete on orders
  referencing old table as old_orders for each statement execute function roll_up_orders();
