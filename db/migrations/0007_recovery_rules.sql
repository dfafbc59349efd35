-- Quiet hours (T2) in minutes of the day, in the recipient's zone. The version tells the one who saves over somebody else's settings.
alter table stores
  add column quiet_from_minute smallint not null default 1260 check (quiet_from_minute between 0 and 1439),
  add column quiet_until_minute smallint not null default 480 check (quiet_until_minute between 0 and 1439),
  add column settings_version integer not null default 0,
  add constraint stores_quiet_hours_differ check (quiet_from_minute <> quiet_until_minute);
