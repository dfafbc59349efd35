-- How Recoup watches itself, and what one installation knows about itself.

-- The silent-stop alarm: one row per store and stage that is watched, what it last did, and the incidents.
create table heartbeats (
  store_id uuid not null references stores on delete cascade,
  stage text not null check (stage in ('capture', 'sync', 'detection', 'sending', 'reports')),
  watched_since timestamptz not null,
  -- capture: the newest sign of life that was counted
  seen_at timestamptz,
  -- it looks stopped since then; null: it does not
  suspect_since timestamptz,
  -- how many rows were overdue at the last look: fewer now means that somebody works on them
  overdue integer not null default 0,
  -- silence up to here has another known cause (a store that is away has no shoppers)
  excused_until timestamptz,
  -- capture: minutes with a sign of life to expect, per hour of the store's week, Monday 0:00 first
  rates real[],
  rated_at timestamptz,
  primary key (store_id, stage)
);

-- Minutes of an hour in which there was a sign of life; kept for five weeks.
create table heartbeat_hours (
  store_id uuid not null references stores on delete cascade,
  stage text not null,
  hour timestamptz not null,
  minutes smallint not null,
  primary key (store_id, stage, hour)
);

create table alarms (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  stage text not null,
  cause text not null,
  raised_at timestamptz not null,
  resolved_at timestamptz,
  primary key (store_id, id)
);
-- One incident at a time, however many workers look.
create unique index alarms_open_key on alarms (store_id, stage) where resolved_at is null;

-- One row: when the watch last looked, and since when it has been looking without a gap.
create table alarm_watch (
  is_only boolean primary key default true check (is_only),
  ticked_at timestamptz not null,
  watching_since timestamptz not null
);

-- One row: what this copy of the product is, and whether it may send (D7).
create table instance (
  is_only boolean primary key default true check (is_only),
  fingerprint text not null,
  is_paused boolean not null default false,
  paused_reason text,
  created_at timestamptz not null
);

-- Heartbeats of the processes in the role of worker.
create table workers (
  id uuid primary key,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  -- Since when it has reported without a gap. Only such a process may judge which others are gone: after the database was away, or the
  -- clock was put forward, those that live are as silent as the dead until they report again.
  steady_since timestamptz not null
);

-- Written by the rate limiter's own library.
create table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);

-- Stores somebody has open in a browser. Commits that notify wait for one another, so only what is looked at is announced. Written by the
-- web processes; after a crash of the database they write it again within half a minute.
create unlogged table live_watches (
  store_id uuid primary key references stores on delete cascade,
  until timestamptz not null
);

-- By trigger, in the transaction that makes the change: nothing that was rolled back is announced, and no statement can forget it. The
-- same notice given twice in a transaction is sent once.
create function announce_changes() returns trigger language plpgsql as $$
begin
  perform pg_notify('recoup_live', 'store:' || w.store_id || ':' || tg_argv[0])
  from live_watches w where w.store_id in (select m.store_id from moved m);
  return null;
end $$;

create trigger carts_come after insert on carts
  referencing new table as moved for each statement execute function announce_changes('carts');
create trigger carts_move after update on carts
  referencing new table as moved for each statement execute function announce_changes('carts');
create trigger carts_go after delete on carts
  referencing old table as moved for each statement execute function announce_changes('carts');
create trigger messages_come after insert on messages
  referencing new table as moved for each statement execute function announce_changes('messages');
create trigger messages_move after update on messages
  referencing new table as moved for each statement execute function announce_changes('messages');
create trigger flows_come after insert on flows
  referencing new table as moved for each statement execute function announce_changes('flows');
create trigger flows_move after update on flows
  referencing new table as moved for each statement execute function announce_changes('flows');
create trigger flow_steps_come after insert on flow_steps
  referencing new table as moved for each statement execute function announce_changes('flows');
create trigger flow_steps_move after update on flow_steps
  referencing new table as moved for each statement execute function announce_changes('flows');
create trigger flow_steps_go after delete on flow_steps
  referencing old table as moved for each statement execute function announce_changes('flows');
create trigger templates_move after update on templates
  referencing new table as moved for each statement execute function announce_changes('flows');
create trigger rollup_changes_come after insert on rollup_changes
  referencing new table as moved for each statement execute function announce_changes('stats');
create trigger active_shopper_counts_come after insert on active_shopper_counts
  referencing new table as moved for each statement execute function announce_changes('stats');
create trigger active_shopper_counts_move after update on active_shopper_counts
  referencing new table as moved for each statement execute function announce_changes('stats');

create function announce_settings() returns trigger language plpgsql as $$
begin
  perform pg_notify('recoup_live', 'store:' || w.store_id || ':settings') from live_watches w where w.store_id = new.id;
  return null;
end $$;
-- The capture script's sign of life is no setting.
create trigger stores_move after update on stores for each row
  when (to_jsonb(old) - 'capture_seen_at' <> to_jsonb(new) - 'capture_seen_at') execute function announce_settings();

-- Whoever holds a connection of a session that has ended or moved is told to look again.
create function announce_sessions() returns trigger language plpgsql as $$
begin
  if exists (select 1 from live_watches) then perform pg_notify('recoup_live', 'account:' || old.account_id); end if;
  return null;
end $$;
create trigger sessions_go after delete on sessions for each row execute function announce_sessions();
create trigger sessions_move after update on sessions for each row
  when (old.account_id <> new.account_id or old.store_id is distinct from new.store_id) execute function announce_sessions();
