-- Email: how it leaves, how it is signed, and what comes back.

-- A mail server of the account's own. Without a row its mail goes by the mail server of this installation.
create table mail_servers (
  account_id uuid primary key references accounts on delete cascade,
  host text not null,
  port integer not null,
  security text not null check (security in ('starttls', 'tls', 'none')),
  -- empty: the server is used without signing in
  user_name text not null,
  -- the password, encrypted (Y5); null without a user
  encrypted bytea,
  -- the address in From; null: the user name, if it is an address
  from_address text,
  -- what the server answered when these settings were checked, and when
  check_answer text not null,
  checked_at timestamptz not null,
  version integer not null default 1,
  -- why it accepted nothing the last time, since when and how often in a row; it is left alone until rests_until (D8)
  problem text,
  failing_since timestamptz,
  failures integer not null default 0,
  rests_until timestamptz
);

-- What a member has tried out, with the result: a test mail and the records of the sender's domain. It counts for the mail server or
-- domain it was tried with, and for no other.
create table sending_proofs (
  account_id uuid not null references accounts on delete cascade,
  what text not null check (what in ('test_mail', 'domain')),
  subject text not null,
  is_good boolean not null,
  at timestamptz not null,
  primary key (account_id, what)
);

-- The server's own DKIM keys, one per domain that stands in From. Mail is signed with one only while the DNS shows its public half.
create table sender_keys (
  domain text primary key,
  selector text not null,
  -- SubjectPublicKeyInfo, base64: what p= holds
  public_key text not null,
  -- PKCS #8, encrypted (Y5)
  encrypted bytea not null,
  created_at timestamptz not null,
  -- null: not in the DNS at the last check, so nothing is signed with it
  seen_at timestamptz,
  checked_at timestamptz
);

-- What receivers and mail providers say of a mail after it was accepted, each kind once: repetition and order change nothing.
create table mail_reports (
  store_id uuid not null,
  message_id uuid not null,
  -- hard: the address is bad · refused: not accepted for good, for another reason · soft: not yet
  kind text not null check (kind in ('delivered', 'soft', 'hard', 'refused', 'complaint')),
  -- dsn, arf, or the provider
  source text not null,
  -- enhanced status code (RFC 3463), where one was given
  status text,
  words text not null,
  at timestamptz not null,
  -- null: the message was still being handed over
  applied_at timestamptz,
  primary key (store_id, message_id, kind),
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade
);
create index mail_reports_open on mail_reports (at) where applied_at is null;
-- Complaints about a campaign: they are few.
create index mail_reports_complaints on mail_reports (store_id, message_id) where kind = 'complaint';

-- Where undeliverable mail of an account comes back to, when it is a mailbox of the account's own that Recoup reads.
create table bounce_mailboxes (
  account_id uuid primary key references accounts on delete cascade,
  -- envelope sender of the account's mail
  address text not null,
  host text not null,
  port integer not null,
  user_name text not null,
  -- the password, encrypted (Y5)
  encrypted bytea not null,
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

-- Receiving domains that defer or refuse an account's mail, for as long as they do. A domain that accepts mail has no row.
create table domain_throttles (
  account_id uuid not null references accounts on delete cascade,
  domain text not null,
  -- deferred: not now · blocked: not from you
  kind text not null check (kind in ('deferred', 'blocked')),
  -- what the answers since the last accepted mail weigh together (deliverability/throttle-rules.ts)
  weight integer not null,
  -- pauses in a row
  pauses integer not null default 0,
  since timestamptz not null,
  -- null: not paused yet
  paused_until timestamptz,
  -- the one message that tries after the pause, and until when its answer is waited for
  probe_id uuid,
  probe_until timestamptz,
  -- the receiver's own words, without addresses
  answer text not null,
  updated_at timestamptz not null,
  -- when the owner was told that it lasts
  told_at timestamptz,
  primary key (account_id, domain)
);
