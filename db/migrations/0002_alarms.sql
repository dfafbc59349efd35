-- The silent-stop alarm: what each stage of each store last did, and the incidents.

-- One row per store and stage that is watched.
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

-- What a mail server put off and nobody has accepted since; what left last; what waits for a delivery report.
create index messages_put_off on messages (store_id)
  where provider_response is not null and state in ('held', 'claimed', 'handed_over');
create index messages_by_hand_over on messages (store_id, handed_over_at desc) where handed_over_at is not null;
create index messages_reporting on messages (store_id, handed_over_at) where channel <> 'email' and handed_over_at is not null;
