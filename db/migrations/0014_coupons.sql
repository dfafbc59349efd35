-- Coupons: the local copy of a store's coupons, personal codes made for single messages, and what orders used.

create table coupons (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  -- recoup: made here, edited and deleted here; store: read-only
  made_by text not null check (made_by in ('recoup', 'store')),
  -- shared: one code for everybody, which stands in the store; personal: a code of its own for each message
  kind text not null check (kind in ('shared', 'personal')),
  -- The store's id; null: of a personal coupon, whose codes stand in the store.
  platform_id text,
  -- Upper case. Of a personal coupon the beginning of its codes.
  code text not null,
  -- other: a type that cannot be made here
  type text not null check (type in ('percentage', 'fixed', 'other')),
  -- The platform's own word for the type.
  platform_type text not null,
  -- hundredths of a percent
  percent integer check (percent between 0 and 10000),
  amount_minor bigint check (amount_minor >= 0),
  currency char(3) not null,
  min_spend_minor bigint,
  max_spend_minor bigint,
  max_discount_minor bigint,
  starts_at timestamptz,
  ends_at timestamptz,
  usage_limit integer,
  usage_count integer not null default 0,
  is_active boolean not null,
  -- stands in the store as expired, because it has not begun or is inactive (decision 32); ends_at is the true end
  is_withheld boolean not null default false,
  -- of a personal coupon: how long after the hand-over a code is good for, and whether it is tied to the recipient's email
  valid_hours integer not null default 72 check (valid_hours between 1 and 8760),
  is_tied_to_email boolean not null default false,
  -- What stands in the store and cannot be set here: status, individual use, sale items, products, categories, hashes of addresses.
  terms jsonb not null default '{}',
  -- when it was found to be deleted in the store
  gone_at timestamptz,
  -- somebody writes it into the store; nobody else does until then
  locked_until timestamptz,
  modified_at timestamptz,
  seen_at timestamptz not null,
  created_at timestamptz not null,
  primary key (store_id, id)
);
-- Not unique: a store may hold a code twice, published and as a draft. In byte order, so that the beginning of a code is a range. Deleted
-- ones, too: orders named them.
create index coupons_by_code on coupons (store_id, code collate "C");
create index coupons_to_begin on coupons (starts_at) where is_withheld and is_active and gone_at is null;
create unique index coupons_by_platform on coupons (store_id, platform_id) where platform_id is not null;
-- Which stores have codes to make.
create index coupons_personal on coupons (store_id) where kind = 'personal' and gone_at is null;
create index coupons_list on coupons (store_id, created_at desc, id desc) where gone_at is null;

alter table flow_steps add constraint flow_steps_coupon
  foreign key (store_id, coupon_id) references coupons (store_id, id) on delete set null (coupon_id);

-- A personal code belongs to one message. The row is written before the store is asked, so that a code that was made and not
-- answered for is found again. No key leads to messages and coupons: the row stays when they go, as the code still stands in the store.
create table coupon_codes (
  store_id uuid not null references stores on delete cascade,
  message_id uuid not null,
  -- A step's coupon may be changed before its message leaves: each then has a code of its own.
  coupon_id uuid not null,
  shopper_id uuid not null,
  cart_id uuid,
  code text not null,
  -- How many codes were taken by others before this one.
  derivation smallint not null default 0,
  -- wanted: not made yet, or what stands in the store is not what it is to be · made: stands in the store · failed: the store refused it ·
  -- deleted: taken out of the store again
  state text not null default 'wanted' check (state in ('wanted', 'made', 'failed', 'deleted')),
  platform_id text,
  -- of a capped percentage: the amount computed for the cart
  amount_minor bigint,
  -- The version of the cart, and the coupon's terms, that it was made for.
  cart_version integer,
  -- of a capped percentage: what of the cart was sold out when the amount was computed
  sold_out text,
  terms text not null,
  -- in the store
  expires_at timestamptz not null,
  -- in the store's words
  refusal text,
  -- How often the store was asked for it; 0: it knows nothing of it.
  attempts integer not null default 0,
  asked_at timestamptz,
  next_try_at timestamptz not null,
  -- Its person was erased: it is taken out of the store whatever became of its message.
  is_unwanted boolean not null default false,
  made_at timestamptz,
  used_at timestamptz,
  used_order_id text,
  deleted_at timestamptz,
  created_at timestamptz not null,
  primary key (store_id, message_id, coupon_id)
);
create unique index coupon_codes_by_code on coupon_codes (store_id, code);
-- For the daily tidying.
create index coupon_codes_to_tidy on coupon_codes (store_id, expires_at) where state <> 'deleted' or attempts > 0;
create index coupon_codes_by_coupon on coupon_codes (store_id, coupon_id, created_at);
create index coupon_codes_by_order on coupon_codes (store_id, used_order_id) where used_order_id is not null;
create index coupon_codes_by_shopper on coupon_codes (store_id, shopper_id, used_at);

-- The coupons an order was placed with, and what each took off.
create table order_coupons (
  store_id uuid not null,
  order_id text not null,
  -- upper case
  code text not null,
  discount_minor bigint not null,
  primary key (store_id, order_id, code),
  foreign key (store_id, order_id) references orders (store_id, order_id) on delete cascade
);
create index order_coupons_by_code on order_coupons (store_id, code);

create trigger coupons_come after insert on coupons
  referencing new table as moved for each statement execute function announce_changes('coupons');
create trigger coupons_move after update on coupons
  referencing new table as moved for each statement execute function announce_changes('coupons');
create trigger coupons_go after delete on coupons
  referencing old table as moved for each statement execute function announce_changes('coupons');
create trigger coupon_codes_move after update on coupon_codes
  referencing new table as moved for each statement execute function announce_changes('coupons');
