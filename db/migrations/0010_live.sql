-- Stores somebody has open. Commits that notify wait for one another, so only what is looked at is announced. Kept by the web processes;
-- after a crash of the database they write it again within half a minute.
create unlogged table live_watches (
  store_id uuid primary key references stores on delete cascade,
  until timestamptz not null
);

-- By trigger, in the causing transaction: nothing that was rolled back is announced, and no statement can forget it. The same sentence
-- said twice in a transaction is sent once.
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
create trigger store_people_come after insert on store_people
  referencing new table as moved for each statement execute function announce_changes('stats');
create trigger store_people_move after update on store_people
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
  if exists (select from live_watches) then perform pg_notify('recoup_live', 'account:' || old.account_id); end if;
  return null;
end $$;
create trigger sessions_go after delete on sessions for each row execute function announce_sessions();
create trigger sessions_move after update on sessions for each row
  when (old.account_id <> new.account_id or old.store_id is distinct from new.store_id) execute function announce_sessions();
