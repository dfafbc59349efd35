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
  -- of a personal coupon: how long after the hand-over a code is good for, and whether it is tied to the recipient's email
  valid_hours integer not null default 72 check (valid_hours between 1 and 8760),
  is_tied_to_email boolean not null default false,
  -- What stands in the store and cannot be set here: status, individual use, sale items, products, categories, hashes of addresses.
  terms jsonb not null default '{}',
  -- when it was found to be deleted in the store
  gone_at timestamptz,
  modified_at timestamptz,
  seen_at timestamptz not null,
  created_at timestamptz not null,
  primary key (store_id, id)
);
create unique index coupons_by_code on coupons (store_id, upper(code)) where kind = 'shared' and gone_at is null;
create unique index coupons_by_platform on coupons (store_id, platform_id) where platform_id is not null;
create index coupons_list on coupons (store_id, created_at desc, id desc) where gone_at is null;

alter table flow_steps add constraint flow_steps_coupon
  foreign key (store_id, coupon_id) references coupons (store_id, id) on delete set null (coupon_id);

-- A personal code belongs to one message. The row is written before the store is asked, so that a code that was made and not
-- answered for is found again.
create table coupon_codes (
  store_id uuid not null,
  message_id uuid not null,
  coupon_id uuid not null,
  shopper_id uuid not null,
  cart_id uuid,
  code text not null,
  -- wanted: not made yet · made: stands in the store · failed: the store refused it · deleted: taken out of the store again
  state text not null default 'wanted' check (state in ('wanted', 'made', 'failed', 'deleted')),
  platform_id text,
  -- of a capped percentage: the amount computed for the cart, and the version of the cart it was computed for
  amount_minor bigint,
  cart_version integer,
  -- in the store
  expires_at timestamptz not null,
  -- in the store's words
  refusal text,
  attempts integer not null default 0,
  next_try_at timestamptz not null,
  made_at timestamptz,
  used_at timestamptz,
  used_order_id text,
  deleted_at timestamptz,
  created_at timestamptz not null,
  primary key (store_id, message_id),
  foreign key (store_id, message_id) references messages (store_id, id) on delete cascade,
  foreign key (store_id, coupon_id) references coupons (store_id, id) on delete cascade
);
create unique index coupon_codes_by_code on coupon_codes (store_id, code);
create index coupon_codes_to_make on coupon_codes (store_id, next_try_at) where state in ('wanted', 'failed');
create index coupon_codes_to_tidy on coupon_codes (store_id, expires_at) where state = 'made' and used_at is null;
create index coupon_codes_by_coupon on coupon_codes (store_id, coupon_id, created_at);
create index coupon_codes_by_shopper on coupon_codes (store_id, shopper_id, used_at) where used_at is not null;

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
