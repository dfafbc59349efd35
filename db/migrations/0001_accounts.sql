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
  -- The second factor (decision 90): its secret, since when it is asked for, and the step of the last code, which is not taken again.
  totp_encrypted bytea,
  totp_confirmed_at timestamptz,
  totp_last_step bigint,
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
  deleted_at timestamptz,
  -- Set by an operator (decision 90): nothing of the account is sent, and its members read why.
  suspended_at timestamptz,
  suspended_reason text,
  suspended_by uuid references users on delete set null,
  constraint accounts_suspended check ((suspended_at is null) = (suspended_reason is null))
);
create index accounts_to_remove on accounts (deleted_at) where deleted_at is not null;
-- The list of operators.
create index accounts_newest on accounts (created_at desc, id desc) where deleted_at is null;

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
  -- Who set the plan. Of 'stripe', all that follows is a function of Stripe's objects (decision 83).
  source text not null default 'operator' check (source in ('free', 'test', 'operator', 'default', 'stripe')),
  -- Limits do not count (decision 82).
  is_unlimited boolean not null default false,
  extra_stores smallint not null default 0 check (extra_stores between 0 and 20),
  cycle text check (cycle in ('month', 'year')),
  -- What a period costs, before discounts and tax.
  amount_minor integer check (amount_minor >= 0),
  currency char(3),
  current_period_end timestamptz,
  trial_ends_at timestamptz,
  last_payment_at timestamptz,
  cancel_at_period_end boolean not null default false,
  has_card boolean not null default false,
  -- A smaller plan that waits for the period's end (decision 85).
  next_plan text check (next_plan in ('free', 'starter', 'growth')),
  next_cycle text check (next_cycle in ('month', 'year')),
  next_extra_stores smallint check (next_extra_stores between 0 and 20),
  changes_at timestamptz,
  stripe_subscription_id text,
  stripe_schedule_id text,
  constraint subscriptions_stripe check ((source = 'stripe') = (stripe_subscription_id is not null)),
  constraint subscriptions_next check ((next_plan is null) = (changes_at is null)),
  -- Nothing is paid on the free plan, so nothing can be overdue or canceled.
  constraint subscriptions_free_is_active check (plan <> 'free' or status = 'active'),
  constraint subscriptions_past_due_since check ((status = 'past_due') = (past_due_since is not null))
);
create unique index subscriptions_by_stripe on subscriptions (stripe_subscription_id) where stripe_subscription_id is not null;

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
