-- The server's own DKIM keys, one per domain that stands in From. Signed with only while the DNS shows the public half.
create table sender_keys (
  domain text primary key,
  selector text not null,
  -- SubjectPublicKeyInfo, base64: what p= holds
  public_key text not null,
  -- PKCS #8, sealed (Y5)
  sealed bytea not null,
  created_at timestamptz not null,
  -- null: not in the DNS when last looked, so nothing is signed with it
  seen_at timestamptz,
  checked_at timestamptz
);

-- What receivers and mail providers say of a mail after it was accepted, each kind once: repetition and order change nothing.
create table mail_reports (
  store_id uuid not null,
  message_id uuid not null,
  -- hard: the address is bad · refused: not taken for good, for another reason · soft: not yet
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

-- A return address and a provider's report name a message and no store.
create index messages_by_id on messages (id);
