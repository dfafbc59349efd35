-- Where undeliverable mail of an account comes back to, when it is a mailbox of the account's own that Recoup reads.
create table bounce_mailboxes (
  account_id uuid primary key references accounts on delete cascade,
  -- envelope sender of the account's mail
  address text not null,
  host text not null,
  port integer not null,
  user_name text not null,
  -- the password, sealed (Y5)
  sealed bytea not null,
  version integer not null default 1,
  -- how far it was read (RFC 3501): a change of the first means that numbers begin anew
  uid_validity text,
  last_uid bigint not null default 0,
  -- messages that were read and said something of a mail
  reports integer not null default 0,
  read_at timestamptz,
  -- why it could not be read; null: it could
  problem text,
  next_read_at timestamptz not null
);
create index bounce_mailboxes_due on bounce_mailboxes (next_read_at);
