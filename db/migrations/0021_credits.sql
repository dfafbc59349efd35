-- The operator's own SMS, which carries those of accounts that have connected none, and the credits that owners buy for it (decision 85).

-- Which accounts have written to a number by the operator's: what a person answers is of these.
create table operator_text_contacts (
  account_id uuid not null references accounts on delete cascade,
  address_hash bytea not null,
  last_at timestamptz not null,
  primary key (account_id, address_hash)
);
create index operator_text_contacts_by_address on operator_text_contacts (address_hash, last_at desc);
create index operator_text_contacts_old on operator_text_contacts (last_at);

-- What an account has left, in millionths of a dollar: the sum of its entries, moved with each of them.
create table credit_balances (
  account_id uuid primary key references accounts on delete cascade,
  micros bigint not null check (micros >= 0),
  -- how many entries there are
  entries integer not null,
  updated_at timestamptz not null
);
create index credit_balances_moved on credit_balances (updated_at);

-- The ledger: rows are added and never changed.
create table credit_entries (
  account_id uuid not null references accounts on delete cascade,
  seq integer not null,
  at timestamptz not null,
  kind text not null check (kind in ('purchase', 'use', 'give_back', 'refund', 'adjustment', 'test')),
  micros bigint not null,
  -- after it
  balance_micros bigint not null check (balance_micros >= 0),
  -- refund: what was to be taken and had been used already; negative when the bank gives the payment back
  owed_micros bigint not null default 0,
  -- purchase and refund: the payment at Stripe
  payment_id text,
  -- use and give_back: the message, of a store of the account; kept when the store is gone
  message_id uuid,
  -- adjustment: why
  note text,
  primary key (account_id, seq),
  check (case when kind in ('purchase', 'give_back', 'test') then micros > 0 when kind = 'use' then micros < 0
    when kind = 'refund' then micros <> 0 or owed_micros <> 0 else micros <> 0 end),
  check (kind = 'refund' or owed_micros = 0),
  check ((kind in ('purchase', 'refund')) = (payment_id is not null)),
  check ((kind in ('use', 'give_back')) = (message_id is not null))
);
create unique index credit_entries_purchase on credit_entries (account_id, payment_id) where kind = 'purchase';
create index credit_entries_payment on credit_entries (account_id, payment_id) where payment_id is not null;
create index credit_entries_message on credit_entries (account_id, message_id) where message_id is not null;
create index credit_entries_by_time on credit_entries (account_id, at);

create function credit_entries_stay() returns trigger language plpgsql as $$
begin
  raise exception 'entries of the credit ledger are not changed';
end $$;
create trigger credit_entries_stay before update on credit_entries for each row execute function credit_entries_stay();
