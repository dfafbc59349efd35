-- People who sign in, the accounts they belong to, and what an account pays for.
-- Keys of account tables start with account_id, keys of store tables with store_id: the schema can be distributed by either.

create table users (
  id uuid primary key,
  email text not null,
  name text not null,
  password_hash text not null,
  created_at timestamptz not null,
  -- When the user proved that the address is theirs. Until then no mail whose text they can choose leaves for their account.
  email_confirmed_at timestamptz,
  constraint users_email_key unique (email)
);

-- A new address of a user, which is theirs once they followed the link mailed to it. One at a time.
create table email_changes (
  user_id uuid primary key references users on delete cascade,
  email text not null,
  token_hash bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint email_changes_token_hash_key unique (token_hash)
);

-- The address a user had before a confirmed change. Its owner can take it back for 72 hours; meanwhile nobody else can register it.
create table email_undos (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  email text not null,
  -- null until the mail is written; a further mail makes the earlier one worthless
  token_hash bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint email_undos_token_hash_key unique (token_hash)
);
create index email_undos_by_user on email_undos (user_id, created_at);
create index email_undos_by_email on email_undos (email);
create index email_undos_by_expiry on email_undos (expires_at);

create table password_resets (
  token_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index password_resets_by_user on password_resets (user_id);

create table accounts (
  id uuid primary key,
  name text not null,
  is_demo boolean not null default false,
  created_at timestamptz not null,
  -- Set: nobody can enter any more and nothing is sent; its data is being deleted.
  deleted_at timestamptz
);
create index accounts_to_remove on accounts (deleted_at) where deleted_at is not null;

create table members (
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  created_at timestamptz not null,
  -- when the user last chose to work in this account: signing in leads there
  entered_at timestamptz,
  primary key (account_id, user_id)
);
create index members_by_user on members (user_id, created_at);

-- Somebody asked to join an account. Deleted once accepted or withdrawn. The token is in the mail only.
create table invitations (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  invited_by uuid references users on delete set null,
  -- null until the mail is written; a further mail makes the earlier one worthless
  token_hash bytea,
  created_at timestamptz not null,
  -- when the mail server accepted it, or why it did not
  sent_at timestamptz,
  mail_problem text,
  expires_at timestamptz not null,
  primary key (account_id, id),
  constraint invitations_email_key unique (account_id, email),
  constraint invitations_token_hash_key unique (token_hash)
);

create table subscriptions (
  account_id uuid primary key references accounts on delete cascade,
  plan text not null check (plan in ('free', 'starter', 'growth')),
  status text not null check (status in ('active', 'trialing', 'past_due', 'canceled')),
  next_billing_at timestamptz,
  -- Since when the account is past due: sending goes on for the days of grace and then holds (decision 86).
  past_due_since timestamptz,
  updated_at timestamptz not null,
  -- Nothing is paid on the free plan, so nothing can be overdue or canceled.
  constraint subscriptions_free_is_active check (plan <> 'free' or status = 'active'),
  constraint subscriptions_past_due_since check ((status = 'past_due') = (past_due_since is not null))
);

-- Hand-overs of the calendar month (UTC), counted in the hand-over's own transaction (decision 6).
create table plan_usage (
  account_id uuid not null references accounts on delete cascade,
  month date not null,
  channel text not null check (channel in ('email', 'sms', 'whatsapp', 'push')),
  used integer not null default 0,
  primary key (account_id, month, channel)
);
-- For who is told that their plan is nearly used up. `used` is not in it, so that counting touches no index.
create index plan_usage_of_month on plan_usage (month, account_id);
