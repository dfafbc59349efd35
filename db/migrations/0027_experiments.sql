-- One experiment a store: who is written to and who is not, drawn by chance, and what became of both (decisions 58 to 61).

create table experiments (
  store_id uuid not null references stores on delete cascade,
  id uuid not null default gen_random_uuid(),
  salt text not null,
  -- the control group, of 10,000
  control_bps integer not null check (control_bps between 1 and 5000),
  started_at timestamptz not null,
  -- the last people are drawn one window before: then everybody's window is over
  planned_end_at timestamptz not null,
  ended_at timestamptz,
  end_reason text check (end_reason in ('planned', 'stopped', 'changed')),
  -- Frozen at the start: for how long a person's orders count, and the most that one person's count for (null: no order was known).
  window_days integer not null check (window_days between 7 and 30),
  currency char(3) not null,
  cap_minor bigint check (cap_minor > 0),
  -- how many orders the cap was taken from
  cap_orders integer not null,
  -- people whose window is not over, as of the last count; and those who keep an arm from before, and are not counted
  waiting_treated integer not null default 0,
  waiting_control integer not null default 0,
  drawn_earlier integer not null default 0,
  -- the arms' sizes could not be chance; once raised it stands
  alarm_at timestamptz,
  primary key (store_id, id),
  constraint experiments_end check ((ended_at is null) = (end_reason is null) and planned_end_at > started_at)
);
create unique index experiments_running on experiments (store_id) where ended_at is null;
create index experiments_to_end on experiments (planned_end_at) where ended_at is null;
create index experiments_by_start on experiments (store_id, started_at desc, id);

-- A person as they were known when they were drawn. Two who are found to be one stay two; an erased person stays as a row that names nobody,
-- of a shopper who has no name.
create table assignments (
  store_id uuid not null,
  experiment_id uuid not null,
  id uuid not null,
  -- whom the arm holds for
  shopper_id uuid not null,
  arm text not null check (arm in ('treated', 'control')),
  at timestamptz not null,
  -- null: drawn before there were experiments; the arm holds, the person is not counted
  window_ends_at timestamptz,
  -- what was known of them when they were drawn, as kind:value; an order with one of these is theirs. Empty: closed, or erased
  keys text[] not null default '{}',
  -- written when they are closed, or erased before
  bought boolean,
  net_minor bigint,
  -- of the control group, and written to by hand all the same
  is_overridden boolean not null default false,
  -- with no outcome: left out
  closed_at timestamptz,
  primary key (store_id, experiment_id, id),
  foreign key (store_id, experiment_id) references experiments (store_id, id) on delete cascade
);
create index assignments_of_shopper on assignments (store_id, shopper_id, experiment_id, at, id) include (arm);
create index assignments_open on assignments (store_id, window_ends_at) where closed_at is null and window_ends_at is not null;
create index assignments_under_way on assignments (store_id, experiment_id, arm) where closed_at is null and window_ends_at is not null;

-- People whose window is over, by the day (UTC) it ended and by arm. Sums, so that a look reads a row a day.
create table experiment_days (
  store_id uuid not null,
  experiment_id uuid not null,
  day date not null,
  arm text not null check (arm in ('treated', 'control')),
  people bigint not null,
  purchases bigint not null,
  net_minor bigint not null,
  -- of each person's amount
  net_squares numeric not null,
  overridden bigint not null,
  left_out bigint not null,
  primary key (store_id, experiment_id, day, arm),
  foreign key (store_id, experiment_id) references experiments (store_id, id) on delete cascade
);

-- What an order says of its buyer by itself, besides email and phone.
alter table orders add column customer_id text;
alter table orders add column cart_token text;

-- The share of each flow becomes one experiment of the store, which begins now: the largest of a flow that is on, as it has counted for
-- campaigns. People keep their arms; those drawn so far are not counted, as nobody knows what was known of them then.
insert into experiments (store_id, salt, control_bps, started_at, planned_end_at, window_days, currency, cap_minor, cap_orders)
select s.id, f.salt, f.holdout_bps, now(), now() + interval '90 days',
  least(30, greatest(7, s.attribution_window_days + ceil(f.last_minutes / 1440.0)))::integer, s.currency, o.cap, o.orders
from stores s
cross join lateral (select h.salt, h.holdout_bps, coalesce((select max(t.delay_minutes) from flow_steps t
    where t.store_id = h.store_id and t.flow_id = h.id), 0) as last_minutes
  from flows h where h.store_id = s.id and h.is_on and h.kind = 'flow' and h.holdout_bps > 0
  order by h.holdout_bps desc, h.id limit 1) f
cross join lateral (select count(*)::integer as orders, case when count(*) >= 200
    then percentile_disc(0.99) within group (order by o.net_minor)
    else 10 * percentile_disc(0.5) within group (order by o.net_minor) end as cap
  from orders o where o.store_id = s.id and o.purchased_at > now() - interval '180 days' and o.kind = 'purchase'
    and not o.is_staff and o.currency = s.currency and o.net_minor > 0) o;

insert into assignments (store_id, experiment_id, id, shopper_id, arm, at)
select h.store_id, x.id, md5(x.id || ':' || h.id)::uuid, h.id, h.arm, h.arm_at
from shoppers h join experiments x on x.store_id = h.store_id where h.arm is not null;
update experiments x set drawn_earlier = (select count(*) from assignments a where a.store_id = x.store_id and a.experiment_id = x.id);

alter table shoppers drop column arm, drop column arm_at;
alter table flows drop column holdout_bps;
