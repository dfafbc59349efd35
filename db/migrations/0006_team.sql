-- Somebody asked to join an account. Gone once accepted or withdrawn; the token is in the mail alone.
create table invitations (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  invited_by uuid references users on delete set null,
  -- null until the mail is written; each further mail makes the one before it worthless
  token_hash bytea,
  created_at timestamptz not null,
  -- when the mail server took it; why it did not
  sent_at timestamptz,
  mail_problem text,
  expires_at timestamptz not null,
  primary key (account_id, id),
  constraint invitations_email_key unique (account_id, email),
  constraint invitations_token_hash_key unique (token_hash)
);

-- A new address of a user, theirs once the link mailed to it was followed. One at a time.
create table email_changes (
  user_id uuid primary key references users on delete cascade,
  email text not null,
  token_hash bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint email_changes_token_hash_key unique (token_hash)
);

-- In words ("Firefox on Windows"), so that a person knows their own sessions.
alter table sessions add column device text;

-- When the user last chose to work in this account: where signing in leads.
alter table members add column entered_at timestamptz;

-- Nobody can enter any more and nothing is sent; its data is being deleted.
alter table accounts add column deleted_at timestamptz;
create index accounts_to_remove on accounts (deleted_at) where deleted_at is not null;
