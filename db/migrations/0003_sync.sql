-- What is read from stores: progress of each stream, webhooks, and local copies of products and customers.

-- One row per stream of one store: how far it is, when it last ran through, what went wrong.
create table sync_state (
  store_id uuid not null references stores on delete cascade,
  stream text not null check (stream in
    ('order_check', 'import', 'sweep', 'customers', 'products', 'webhooks', 'coupons', 'coupon_codes', 'coupon_tidy', 'coupon_check')),
  watermark timestamptz,
  cursor_page integer,
  lease_until timestamptz,
  started_at timestamptz,
  -- when the last run that reached its last page had started, and when it ended
  completed_start timestamptz,
  completed_at timestamptz,
  failed_at timestamptz,
  error_code text,
  error_detail text,
  -- failed runs since the last complete one: they decide how soon the next order check may ask the store (D3)
  failures integer not null default 0,
  rows_seen integer not null default 0,
  primary key (store_id, stream)
);

create table store_webhooks (
  store_id uuid not null references stores on delete cascade,
  topic text not null,
  webhook_id text not null,
  encrypted_secret bytea not null,
  last_delivery_at timestamptz,
  status text not null,
  checked_at timestamptz not null,
  primary key (store_id, topic)
);

create table webhook_events (
  store_id uuid not null references stores on delete cascade,
  event_key text not null,
  topic text not null,
  received_at timestamptz not null,
  primary key (store_id, event_key)
);

create table products (
  store_id uuid not null references stores on delete cascade,
  product_id text not null,
  variation_id text not null default '',
  name text not null,
  sku text,
  price_minor bigint not null,
  -- The price before it last changed. A cart's item that was taken at that price is shown at the present one.
  was_price_minor bigint,
  currency char(3) not null,
  image_url text,
  permalink text,
  is_available boolean not null,
  stock_quantity integer,
  -- null: the store does not say
  is_on_sale boolean,
  -- a variation that leaves a choice open ("any size"): its id alone cannot be put into a cart
  has_open_choice boolean not null default false,
  modified_at timestamptz,
  seen_at timestamptz not null,
  primary key (store_id, product_id, variation_id)
);
-- A product is chosen by the beginning of its name or SKU.
create index products_by_name on products (store_id, (lower(name) collate "C"));
create index products_by_sku on products (store_id, (lower(sku) collate "C")) where sku is not null;

create table customers (
  store_id uuid not null references stores on delete cascade,
  customer_id text not null,
  email text,
  phone text,
  first_name text,
  last_name text,
  company text,
  country char(2),
  created_at timestamptz,
  modified_at timestamptz,
  -- when they were last in the shop as themselves; null where the store does not say
  last_login_at timestamptz,
  seen_at timestamptz not null,
  primary key (store_id, customer_id)
);
create index customers_by_email on customers (store_id, lower(email)) where email is not null;
create index customers_by_phone on customers (store_id, phone) where phone is not null;
