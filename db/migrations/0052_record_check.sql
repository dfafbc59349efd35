-- How reading single records went that webhooks name: a store that hangs at these is left alone with them for a while.
alter table sync_state drop constraint sync_state_stream_check;
alter table sync_state add constraint sync_state_stream_check check (stream in
  ('order_check', 'goods_check', 'record_check', 'import', 'sweep', 'customers', 'products', 'webhooks', 'coupons', 'coupon_codes', 'coupon_tidy', 'coupon_check', 'checkouts'));
