-- How reading stock and prices of a batch went, apart from its orders: a store that answers the one may fail at the other.
alter table sync_state drop constraint sync_state_stream_check;
alter table sync_state add constraint sync_state_stream_check check (stream in
  ('order_check', 'goods_check', 'import', 'sweep', 'customers', 'products', 'webhooks', 'coupons', 'coupon_codes', 'coupon_tidy', 'coupon_check', 'checkouts'));
