-- Receiving domains that put off or refuse an account's mail, for as long as they do. A domain that takes mail has no row.
create table receiver_pauses (
  account_id uuid not null references accounts on delete cascade,
  domain text not null,
  -- deferred: not now · blocked: not from you
  kind text not null check (kind in ('deferred', 'blocked')),
  -- what the answers since the last yes weigh together (messages/receiver-rules.ts)
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
