-- A host of the shop's own for the links in its mails. Used only while the last check found that it leads here.
create table link_hosts (
  store_id uuid primary key references stores on delete cascade,
  host text not null unique,
  created_at timestamptz not null,
  checked_at timestamptz,
  -- null: the last check failed, or there was none; links are on the server's own host
  passed_at timestamptz,
  problem text,
  next_check_at timestamptz not null
);
create index link_hosts_due on link_hosts (next_check_at);
