-- Triggers that note what of the figures (0017) a change concerns.

-- What has changed is found by grouping old and new rows, as in 0005 and 0011: a join of the two would be planned by the first statement of
-- a session, which is short, and compare each row with each in a long one. 1 and -1 cancel each other out where a row is what it was.
create function note_cart_figures() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into figure_changes (store_id, subject, at)
    select distinct c.store_id, d.subject, rollup_slot(d.at)
    from new_carts c, lateral (values ('carts', c.started_at), ('products', c.abandoned_at)) d (subject, at) where d.at is not null;
  elsif tg_op = 'DELETE' then
    insert into figure_changes (store_id, subject, at)
    select distinct c.store_id, d.subject, rollup_slot(d.at)
    from old_carts c, lateral (values ('carts', c.started_at), ('products', c.abandoned_at)) d (subject, at) where d.at is not null;
  else
    insert into figure_changes (store_id, subject, at)
    select distinct c.store_id, d.subject, rollup_slot(d.at)
    from (
      select store_id, started_at, abandoned_at from (
        select store_id, id, status, started_at, abandoned_at, shopper_id, currency, country, device_class,
          case when abandoned_at is not null then coalesce(abandoned_minor, value_minor) end as minor,
          case when abandoned_at is not null then jsonb_hash_extended(items, 0) end as items, 1 as sign from new_carts
        union all
        select store_id, id, status, started_at, abandoned_at, shopper_id, currency, country, device_class,
          case when abandoned_at is not null then coalesce(abandoned_minor, value_minor) end,
          case when abandoned_at is not null then jsonb_hash_extended(items, 0) end, -1 from old_carts) moved
      group by store_id, id, status, started_at, abandoned_at, shopper_id, currency, country, device_class, minor, items
      having sum(sign) <> 0) c,
      lateral (values ('carts', c.started_at), ('products', c.abandoned_at)) d (subject, at) where d.at is not null;
    insert into figure_changes (store_id, cart_id)
    select distinct store_id, merged_into from (
      select store_id, id, merged_into, 1 as sign from new_carts where merged_into is not null
      union all select store_id, id, merged_into, -1 from old_carts where merged_into is not null) moved
    group by store_id, id, merged_into having sum(sign) <> 0;
  end if;
  return null;
end $$;
create trigger carts_figured_in after insert on carts
  referencing new table as new_carts for each statement execute function note_cart_figures();
create trigger carts_figured_on after update on carts
  referencing old table as old_carts new table as new_carts for each statement execute function note_cart_figures();
create trigger carts_figured_out after delete on carts
  referencing old table as old_carts for each statement execute function note_cart_figures();

-- A message counts once it was answered for, or its fate is known to be unknown.
create function is_message_figured(state text, handed_over_at timestamptz) returns boolean language sql immutable as
  $$ select handed_over_at is not null and state in ('sent', 'delivered', 'failed', 'unknown') $$;

create function note_message_figures() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into figure_changes (store_id, subject, at, cart_id, shopper_id)
    select distinct m.store_id, 'messages', m.handed_over_at, m.cart_id, m.shopper_id from new_messages m
    where is_message_figured(m.state, m.handed_over_at);
  elsif tg_op = 'DELETE' then
    insert into figure_changes (store_id, subject, at, cart_id, shopper_id)
    select distinct m.store_id, 'messages', m.handed_over_at, m.cart_id, m.shopper_id from old_messages m
    where is_message_figured(m.state, m.handed_over_at);
  else
    insert into figure_changes (store_id, subject, at, cart_id, shopper_id)
    select distinct store_id, 'messages', handed_over_at, cart_id, shopper_id from (
      select store_id, id, state, reason, handed_over_at, left_at, unsubscribed_at, cost_micros, cost_currency, cart_id, shopper_id,
        coupon_code, 1 as sign from new_messages where is_message_figured(state, handed_over_at)
      union all
      select store_id, id, state, reason, handed_over_at, left_at, unsubscribed_at, cost_micros, cost_currency, cart_id, shopper_id,
        coupon_code, -1 from old_messages where is_message_figured(state, handed_over_at)) moved
    group by store_id, id, state, reason, handed_over_at, left_at, unsubscribed_at, cost_micros, cost_currency, cart_id, shopper_id,
      coupon_code
    having sum(sign) <> 0;
  end if;
  return null;
end $$;
create trigger messages_figured_in after insert on messages
  referencing new table as new_messages for each statement execute function note_message_figures();
create trigger messages_figured_on after update on messages
  referencing old table as old_messages new table as new_messages for each statement execute function note_message_figures();
create trigger messages_figured_out after delete on messages
  referencing old table as old_messages for each statement execute function note_message_figures();

create function note_order_figures() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into figure_changes (store_id, subject, at, cart_id, message_id, shopper_id)
    select o.store_id, 'orders', o.purchased_at, o.cart_id, o.message_id, o.shopper_id from new_orders o where o.purchased_at is not null;
  elsif tg_op = 'DELETE' then
    insert into figure_changes (store_id, subject, at, cart_id, message_id, shopper_id)
    select o.store_id, 'orders', o.purchased_at, o.cart_id, o.message_id, o.shopper_id from old_orders o where o.purchased_at is not null;
  else
    insert into figure_changes (store_id, subject, at, cart_id, message_id, shopper_id)
    select distinct store_id, 'orders', purchased_at, cart_id, message_id, shopper_id from (
      select store_id, order_id, purchased_at, net_minor, currency, shopper_id, cart_id, touchpoint_id, message_id, is_staff, 1 as sign
      from new_orders where purchased_at is not null
      union all
      select store_id, order_id, purchased_at, net_minor, currency, shopper_id, cart_id, touchpoint_id, message_id, is_staff, -1
      from old_orders where purchased_at is not null) moved
    group by store_id, order_id, purchased_at, net_minor, currency, shopper_id, cart_id, touchpoint_id, message_id, is_staff
    having sum(sign) <> 0;
  end if;
  return null;
end $$;
create trigger orders_figured_in after insert on orders
  referencing new table as new_orders for each statement execute function note_order_figures();
create trigger orders_figured_on after update on orders
  referencing old table as old_orders new table as new_orders for each statement execute function note_order_figures();
create trigger orders_figured_out after delete on orders
  referencing old table as old_orders for each statement execute function note_order_figures();

-- Opens, touches, complaints and codes change what their message counts for. When the message goes, it says so itself.
create function note_new_of_message() returns trigger language plpgsql as $$
begin
  insert into figure_changes (store_id, message_id) select distinct r.store_id, r.message_id from new_rows r;
  return null;
end $$;
create function note_old_of_message() returns trigger language plpgsql as $$
begin
  insert into figure_changes (store_id, message_id) select distinct r.store_id, r.message_id from old_rows r;
  return null;
end $$;
create trigger engagement_figured_in after insert on engagement_events
  referencing new table as new_rows for each statement execute function note_new_of_message();
create trigger engagement_figured_on after update on engagement_events
  referencing new table as new_rows for each statement execute function note_new_of_message();
create trigger engagement_figured_out after delete on engagement_events
  referencing old table as old_rows for each statement execute function note_old_of_message();
create trigger touchpoints_figured_in after insert on touchpoints
  referencing new table as new_rows for each statement execute function note_new_of_message();
create trigger touchpoints_figured_on after update on touchpoints
  referencing new table as new_rows for each statement execute function note_new_of_message();
create trigger touchpoints_figured_out after delete on touchpoints
  referencing old table as old_rows for each statement execute function note_old_of_message();
create trigger mail_reports_figured_in after insert on mail_reports
  referencing new table as new_rows for each statement execute function note_new_of_message();
create trigger mail_reports_figured_out after delete on mail_reports
  referencing old table as old_rows for each statement execute function note_old_of_message();

create function note_code_figures() returns trigger language plpgsql as $$
begin
  insert into figure_changes (store_id, message_id)
  select distinct store_id, message_id from (
    select store_id, message_id, coupon_id, code, used_order_id, 1 as sign from new_rows
    union all select store_id, message_id, coupon_id, code, used_order_id, -1 from old_rows) moved
  group by store_id, message_id, coupon_id, code, used_order_id having sum(sign) <> 0;
  return null;
end $$;
create trigger coupon_codes_figured_on after update on coupon_codes
  referencing old table as old_rows new table as new_rows for each statement execute function note_code_figures();
create trigger coupon_codes_figured_out after delete on coupon_codes
  referencing old table as old_rows for each statement execute function note_old_of_message();

create function note_new_discounts() returns trigger language plpgsql as $$
begin
  insert into figure_changes (store_id, message_id) select distinct k.store_id, k.message_id
  from new_rows r join coupon_codes k on k.store_id = r.store_id and k.code = r.code
  union select o.store_id, o.message_id
  from new_rows r join orders o on o.store_id = r.store_id and o.order_id = r.order_id where o.message_id is not null;
  return null;
end $$;
create function note_old_discounts() returns trigger language plpgsql as $$
begin
  insert into figure_changes (store_id, message_id) select distinct k.store_id, k.message_id
  from old_rows r join coupon_codes k on k.store_id = r.store_id and k.code = r.code
  union select o.store_id, o.message_id
  from old_rows r join orders o on o.store_id = r.store_id and o.order_id = r.order_id where o.message_id is not null;
  return null;
end $$;
create trigger order_coupons_figured_in after insert on order_coupons
  referencing new table as new_rows for each statement execute function note_new_discounts();
create trigger order_coupons_figured_on after update on order_coupons
  referencing new table as new_rows for each statement execute function note_new_discounts();
create trigger order_coupons_figured_out after delete on order_coupons
  referencing old table as old_rows for each statement execute function note_old_discounts();

-- By a key that is theirs, somebody becomes a customer, or is one no more: what they have bought counts by it.
create function note_new_customers() returns trigger language plpgsql as $$
begin
  insert into figure_changes (store_id, subject, shopper_id)
  select distinct store_id, 'orders', shopper_id from new_rows where kind in ('email', 'phone', 'customer');
  return null;
end $$;
create function note_old_customers() returns trigger language plpgsql as $$
begin
  insert into figure_changes (store_id, subject, shopper_id)
  select distinct store_id, 'orders', shopper_id from old_rows where kind in ('email', 'phone', 'customer');
  return null;
end $$;
create trigger shopper_keys_figured_in after insert on shopper_keys
  referencing new table as new_rows for each statement execute function note_new_customers();
create trigger shopper_keys_figured_on after update on shopper_keys
  referencing new table as new_rows for each statement execute function note_new_customers();
create trigger shopper_keys_figured_from after update on shopper_keys
  referencing old table as old_rows for each statement execute function note_old_customers();
create trigger shopper_keys_figured_out after delete on shopper_keys
  referencing old table as old_rows for each statement execute function note_old_customers();

-- Another time zone makes all days others; another attribution window only says which orders were assisted.
create function note_store_figures() returns trigger language plpgsql as $$
begin
  insert into figure_changes (store_id, subject)
  select distinct id, 'all' from (
    select id, time_zone, 1 as sign from new_rows union all select id, time_zone, -1 from old_rows) moved
  group by id, time_zone having sum(sign) <> 0;
  insert into figure_changes (store_id, subject)
  select distinct id, 'orders' from (
    select id, attribution_window_days, 1 as sign from new_rows
    union all select id, attribution_window_days, -1 from old_rows) moved
  group by id, attribution_window_days having sum(sign) <> 0;
  return null;
end $$;
create trigger stores_figured_on after update on stores
  referencing old table as old_rows new table as new_rows for each statement execute function note_store_figures();
