-- What the owner is told: a type and data, never a sentence; the English is shared/notifications.ts.

-- What is written in the transaction of whatever happened. It waits for nobody: `server/notifications/gather.ts` makes notifications of it
-- a moment later, for one account at a time.
create table pending_notifications (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  type text not null,
  data jsonb not null default '{}',
  created_at timestamptz not null,
  -- of the shopper, as `notifications.zone`
  zone jsonb,
  primary key (store_id, id)
);
create index pending_notifications_next on pending_notifications (store_id, created_at, id);

create table pending_account_notifications (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  type text not null,
  data jsonb not null default '{}',
  created_at timestamptz not null,
  primary key (account_id, id)
);
create index pending_account_notifications_next on pending_account_notifications (account_id, created_at, id);

-- The newest instant given to a notification of the account. Whoever makes notifications holds this row, and gives each a later one: all
-- that is older than what somebody has seen was there to be seen, so "up to this one" is exact (decision 67).
create table notification_clocks (
  account_id uuid primary key references accounts on delete cascade,
  last_at timestamptz not null
);

create table notifications (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  type text not null,
  data jsonb not null default '{}',
  -- city, region, country and timezone of the shopper (decision 69); null: unknown
  zone jsonb,
  -- title, message and data in lower case
  search text not null default '',
  is_problem boolean not null default false,
  created_at timestamptz not null,
  primary key (store_id, id)
)
-- The newest are counted in an index alone, which a vacuum makes possible: it comes every 5,000 rows and looks at the new pages only.
with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 5000);
-- Tidying up begins at the other end of it, store by store. An index of the time alone, across stores, was picked for the list of one store.
create index notifications_newest on notifications (store_id, created_at desc, id desc) include (type);
create index notifications_problems on notifications (store_id, created_at desc, id desc) include (type) where is_problem;
create index notifications_new_carts on notifications (store_id, created_at desc, id desc) include (type)
  where type = 'cart_abandoned';
create index notifications_by_cart on notifications (store_id, (data ->> 'cartId')) where data ->> 'cartId' is not null;
create index notifications_by_message on notifications (store_id, (data ->> 'messageId')) where data ->> 'messageId' is not null;

-- How many of a topic there were in an hour, and the row that gathers them, which may be that of several hours (decision 65). Kept for
-- three days.
create table notification_hours (
  store_id uuid not null references stores on delete cascade,
  topic text not null,
  hour timestamptz not null,
  count integer not null,
  -- null: each has a row of its own
  notification_id uuid,
  primary key (store_id, hour, topic)
);

-- Carts whose recovery was told: once, whatever their orders do afterwards.
create table recoveries_told (
  store_id uuid not null references stores on delete cascade,
  cart_id uuid not null,
  at timestamptz not null,
  primary key (store_id, cart_id)
);
create index recoveries_told_oldest on recoveries_told (at);

-- Of the whole account, whichever store is chosen.
create table account_notifications (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null,
  type text not null,
  data jsonb not null default '{}',
  search text not null default '',
  is_problem boolean not null default false,
  created_at timestamptz not null,
  primary key (account_id, id)
) with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 5000);
create index account_notifications_newest on account_notifications (account_id, created_at desc, id desc) include (type);
create index account_notifications_problems on account_notifications (account_id, created_at desc, id desc) include (type)
  where is_problem;

-- What each member has read and deleted: everything up to an instant (decision 66) …
create table notification_reads (
  store_id uuid not null references stores on delete cascade,
  user_id uuid not null references users on delete cascade,
  read_up_to timestamptz not null default 'epoch',
  cleared_up_to timestamptz not null default 'epoch',
  primary key (store_id, user_id)
);
create index notification_reads_by_user on notification_reads (user_id);

create table account_notification_reads (
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  read_up_to timestamptz not null default 'epoch',
  cleared_up_to timestamptz not null default 'epoch',
  primary key (account_id, user_id)
);
create index account_notification_reads_by_user on account_notification_reads (user_id);

-- … and what is otherwise. `is_read` null: as `read_up_to` says.
create table notification_marks (
  store_id uuid not null,
  user_id uuid not null references users on delete cascade,
  notification_id uuid not null,
  -- of the notification
  created_at timestamptz not null,
  is_read boolean,
  is_deleted boolean not null default false,
  primary key (store_id, user_id, notification_id),
  foreign key (store_id, notification_id) references notifications (store_id, id) on delete cascade
);
create index notification_marks_by_notification on notification_marks (store_id, notification_id);
create index notification_marks_newest on notification_marks (user_id, store_id, created_at desc, notification_id desc)
  include (is_read, is_deleted);
create index notification_marks_unread on notification_marks (store_id, user_id, created_at desc, notification_id desc)
  where is_read = false;

create table account_notification_marks (
  account_id uuid not null,
  user_id uuid not null references users on delete cascade,
  notification_id uuid not null,
  created_at timestamptz not null,
  is_read boolean,
  is_deleted boolean not null default false,
  primary key (account_id, user_id, notification_id),
  foreign key (account_id, notification_id) references account_notifications (account_id, id) on delete cascade
);
create index account_notification_marks_by_notification on account_notification_marks (account_id, notification_id);
create index account_notification_marks_newest on account_notification_marks (user_id, account_id, created_at desc, notification_id desc)
  include (is_read, is_deleted);
create index account_notification_marks_unread on account_notification_marks (account_id, user_id, created_at desc, notification_id desc)
  where is_read = false;

-- What a member has chosen otherwise than usual (decision 65).
create table notification_preferences (
  account_id uuid not null,
  user_id uuid not null,
  topic text not null,
  bell boolean not null,
  mail text not null check (mail in ('none', 'at_once', 'daily')),
  primary key (account_id, user_id, topic),
  foreign key (account_id, user_id) references members on delete cascade
);

-- Whether a member gets the report of each week, where they have chosen otherwise than usual (decision 100).
create table weekly_report_choices (
  account_id uuid not null,
  user_id uuid not null,
  is_wanted boolean not null,
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references members on delete cascade
);

-- Mail about notifications: up to which of them each member has been mailed, and when the next one is due.
create table notification_mails (
  account_id uuid not null,
  user_id uuid not null,
  mailed_up_to timestamptz not null,
  mailed_at timestamptz,
  due_at timestamptz,
  digest_up_to timestamptz not null,
  digest_due_at timestamptz,
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references members on delete cascade
);
create index notification_mails_due on notification_mails (due_at) where due_at is not null;
create index notification_mails_digest_due on notification_mails (digest_due_at) where digest_due_at is not null;
