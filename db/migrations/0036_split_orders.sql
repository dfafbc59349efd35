-- A shop may keep one purchase as several orders: one that was placed, and one for each vendor of a marketplace. It counts once (A6).
alter table orders
  add column parent_id text,
  -- ids of the products in it, without variations; null: not known
  add column product_ids text[],
  -- what the order says of itself, where it counts differently: as part of another, or with parts of its own
  add column own_purchased_at timestamptz,
  add column own_net_minor bigint,
  -- made by a subscription: no act of the shopper (S3)
  add column is_renewal boolean not null default false;
