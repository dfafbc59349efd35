-- Several flows of a store, conditions, steps that come and go, channels in order and variants (decisions 51 to 55).

-- 1 is asked first. The store's own notifications are in no order.
alter table flows add column position integer not null default 1;
-- who is taken, as `FlowConditions` of shared/flow-conditions.ts; null: everybody
alter table flows add column conditions jsonb;
update flows f set position = o.position
from (select store_id, id, row_number() over (partition by store_id order by created_at, id) as position from flows where kind = 'flow') o
where f.store_id = o.store_id and f.id = o.id and f.position <> o.position;

-- channels after the first, in the order in which they are tried
alter table flow_steps add column fallback text[] not null default '{}';
-- to whom its messages go; null: to everybody
alter table flow_steps add column conditions jsonb;
-- A step that came later is not for carts whose time for it had passed then; null: it was there when the flow began.
alter table flow_steps add column added_at timestamptz;
-- It stays for what it has sent.
alter table flow_steps add column removed_at timestamptz;
alter table flow_steps drop constraint flow_steps_pkey;
alter table flow_steps add primary key (store_id, flow_id, id);
create unique index flow_steps_by_place on flow_steps (store_id, flow_id, step) where removed_at is null;

-- The variants of a step that is split, or was. The step's first words are the variant with the step's own id.
create table flow_variants (
  store_id uuid not null,
  flow_id uuid not null,
  step_id uuid not null,
  id uuid not null,
  place smallint not null,
  share_percent smallint not null check (share_percent between 0 and 100),
  -- its messages keep it
  ended_at timestamptz,
  primary key (store_id, step_id, id),
  foreign key (store_id, flow_id) references flows (store_id, id) on delete cascade
);
create index flow_variants_by_flow on flow_variants (store_id, flow_id);

-- The words of a step's variants by channel. What is not here has the template of its step.
create table flow_words (
  store_id uuid not null,
  flow_id uuid not null,
  step_id uuid not null,
  variant_id uuid not null,
  channel text not null check (channel in ('email', 'sms', 'whatsapp', 'push')),
  template_id uuid not null,
  primary key (store_id, step_id, variant_id, channel),
  foreign key (store_id, flow_id) references flows (store_id, id) on delete cascade
);
create index flow_words_by_flow on flow_words (store_id, flow_id);
-- Until now words were found by their key.
insert into flow_words (store_id, flow_id, step_id, variant_id, channel, template_id)
select s.store_id, s.flow_id, s.id, s.id, c.channel,
  case when c.channel = s.channel then s.template_id else w.id end
from flow_steps s
join flows f on f.store_id = s.store_id and f.id = s.flow_id and f.kind = 'flow'
join templates t on t.store_id = s.store_id and t.id = s.template_id
cross join (values ('email', ''), ('sms', '_sms'), ('whatsapp', '_whatsapp'), ('push', '_push')) c (channel, ending)
left join lateral (select k.id from templates k where k.store_id = s.store_id
  and k.key = regexp_replace(t.key, '_(sms|whatsapp|push)$', '') || c.ending order by k.id limit 1) w on true
where c.channel = s.channel or w.id is not null;

-- The flow a cart belongs to since it fell quiet, and what that rests on; null: to none.
alter table carts add column flow_id uuid;
alter table carts add column flow_choice jsonb;
update carts c set flow_id = m.origin_id
from (select distinct on (store_id, cart_id) store_id, cart_id, origin_id from messages
  where origin_kind = 'flow' and cart_id is not null order by store_id, cart_id, created_at) m
where c.store_id = m.store_id and c.id = m.cart_id;
create index carts_of_flow on carts (store_id, flow_id, last_activity_at) where status = 'abandoned' and flow_id is not null;

-- Of an open message of a step with several channels: all of them in order. When it is handed over none is left to choose.
alter table messages add column channels text[];
-- Of a message that was handed over: which variant of its step's words it had; null: there was no choice.
alter table messages add column variant_id uuid;

-- A step of a flow goes once, by whatever channel (D1, decision 54). Of two rows that an edit and a merge once made, the one that left stays.
delete from messages m using (
  select store_id, id from (
    select store_id, id, handed_over_at, row_number() over (partition by store_id, cart_id, origin_kind, origin_id, step_id
      order by handed_over_at is null, created_at, id) as place
    from messages where origin_kind in ('flow', 'push') and cart_id is not null and step_id is not null) o
  where place > 1 and handed_over_at is null) twice
where m.store_id = twice.store_id and m.id = twice.id;
-- Of two that both left, the later one stays as what went out, of no step.
update messages m set step_id = m.id from (
  select store_id, id, row_number() over (partition by store_id, cart_id, origin_kind, origin_id, step_id order by handed_over_at, id) as place
  from messages where origin_kind in ('flow', 'push') and cart_id is not null and step_id is not null) o
where m.store_id = o.store_id and m.id = o.id and o.place > 1;
drop index messages_once_per_cart;
create unique index messages_once_per_cart on messages (store_id, cart_id, origin_kind, origin_id, step_id,
  (case when origin_kind in ('flow', 'push') then '' else channel end)) nulls not distinct where cart_id is not null;

-- Categories of the store's products, or what its platform has for them: collections and types.
create table product_categories (
  store_id uuid not null references stores on delete cascade,
  category_id text not null,
  name text not null,
  seen_at timestamptz not null,
  primary key (store_id, category_id)
);
create index product_categories_by_name on product_categories (store_id, (lower(name) collate "C"));
-- Of the product, in each of its rows; null: nobody has told.
alter table products add column category_ids text[];

-- The report of a flow (decision 57): what was planned of a step by day of the store's calendar, and what did not go, by reason. Changes are
-- only added, so that nobody waits for a counter; every minute the new ones are folded into one row (as cart_counts, 0005).
create table flow_counts (
  store_id uuid not null references stores on delete cascade,
  id uuid not null default gen_random_uuid(),
  flow_id uuid not null,
  step_id uuid not null,
  day date not null,
  -- '': planned on the day; else not sent since the day, and why
  reason text not null,
  change bigint not null,
  is_folded boolean not null default false,
  primary key (store_id, id)
);
create unique index flow_counts_by_day on flow_counts (store_id, flow_id, day, step_id, reason) include (change) where is_folded;
create index flow_counts_to_fold on flow_counts (store_id, flow_id, day, step_id, reason) where not is_folded;

create function count_planned_steps() returns trigger language plpgsql as $$
begin
  insert into flow_counts (store_id, flow_id, step_id, day, reason, change)
  select n.store_id, n.origin_id, n.step_id, (n.created_at at time zone s.time_zone)::date, '', count(*)
  from new_messages n join stores s on s.id = n.store_id
  where n.origin_kind = 'flow' and n.step_id is not null and n.state not in ('skipped', 'cancelled') group by 1, 2, 3, 4;
  return null;
end $$;
create trigger messages_planned after insert on messages
  referencing new table as new_messages for each statement execute function count_planned_steps();

create function count_unsent_steps() returns trigger language plpgsql as $$
begin
  insert into flow_counts (store_id, flow_id, step_id, day, reason, change)
  select w.store_id, w.origin_id, w.step_id, (w.finished_at at time zone s.time_zone)::date, w.reason, w.change
  from (values (old.store_id, old.origin_id, old.step_id, old.finished_at, old.reason, old.state, -1),
    (new.store_id, new.origin_id, new.step_id, new.finished_at, new.reason, new.state, 1))
    w (store_id, origin_id, step_id, finished_at, reason, state, change)
  join stores s on s.id = w.store_id
  where w.state in ('skipped', 'cancelled') and w.finished_at is not null and w.reason is not null;
  return null;
end $$;
create trigger messages_unsent after update of state, reason on messages for each row
  when (new.origin_kind = 'flow' and new.step_id is not null and (old.state, old.reason) is distinct from (new.state, new.reason)
    and (new.state in ('skipped', 'cancelled') or old.state in ('skipped', 'cancelled')))
  execute function count_unsent_steps();

insert into flow_counts (store_id, flow_id, step_id, day, reason, change, is_folded)
select m.store_id, m.origin_id, m.step_id, (d.at at time zone s.time_zone)::date, d.reason, count(*), true
from messages m join stores s on s.id = m.store_id
cross join lateral (
  select m.created_at as at, '' as reason
  union all
  select m.finished_at, m.reason where m.state in ('skipped', 'cancelled') and m.finished_at is not null and m.reason is not null) d
where m.origin_kind = 'flow' and m.step_id is not null group by 1, 2, 3, 4, 5;

-- Figures of messages know the variant of a step's words, and how many of those accepted are known to have arrived. Counted anew.
alter table message_figures add column variant_id uuid not null default '00000000-0000-0000-0000-000000000000';
alter table message_figures add column delivered bigint not null default 0;
alter table message_figures drop constraint message_figures_pkey;
alter table message_figures add primary key (store_id, day, channel, origin_kind, origin_id, step_id, variant_id, from_hour, currency);
insert into figure_changes (store_id, subject) select id, 'all' from stores;
