-- Two-factor sign-in, and what operators see and do (decision 90).

-- Used in place of a code of the app, each once.
create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- What operators did, written in the transaction that did it. It outlives the account and the operator.
create table operator_actions (
  id uuid primary key,
  at timestamptz not null,
  operator_id uuid references users on delete set null,
  operator_email text not null,
  account_id uuid,
  account_name text,
  action text not null check (action in ('set_plan', 'suspend', 'resume', 'view', 'resolve_problem', 'adjust_credits')),
  data jsonb not null default '{}'
);
create index operator_actions_newest on operator_actions (at desc, id desc);
create index operator_actions_of on operator_actions (account_id, at desc, id desc);

-- What only an operator can mend; open once per account and kind.
create table operator_problems (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  kind text not null,
  detail text not null,
  raised_at timestamptz not null,
  resolved_at timestamptz,
  primary key (account_id, id)
);
create unique index operator_problems_open on operator_problems (account_id, kind) where resolved_at is null;
create index operator_problems_newest on operator_problems (raised_at desc, id desc) where resolved_at is null;
