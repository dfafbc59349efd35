-- What a search counts and sorts by stands in the index it reads, so that thousands of matches are looked at without their rows. A
-- cart whose badge or last activity changes gets new entries in every index anyway. An expression is read from an index only beside what it is made of.
drop index carts_list_by_customer;
create index carts_list_by_customer on carts (store_id, (search collate "C"), id) include (badge, last_activity_at)
  where status in ('abandoned', 'recovered', 'lost');
drop index carts_list_by_email;
create index carts_list_by_email on carts (store_id, (email collate "C") nulls first, id) include (badge, last_activity_at)
  where status in ('abandoned', 'recovered', 'lost');
drop index carts_list_by_phone;
create index carts_list_by_phone on carts (store_id, (phone collate "C") nulls first, id) include (badge, last_activity_at)
  where status in ('abandoned', 'recovered', 'lost');
drop index carts_by_last_name;
create index carts_by_last_name on carts (store_id, (substring(lower(customer_name) from '[^ ]+$') collate "C"), id)
  include (customer_name, badge, last_activity_at) where status in ('abandoned', 'recovered', 'lost');

-- One badge in any order: those two had it to look up in the row.
drop index carts_list_by_value;
create index carts_list_by_value on carts (store_id, value_minor desc, id desc) include (badge)
  where status in ('abandoned', 'recovered', 'lost');
drop index carts_list_by_items;
create index carts_list_by_items on carts (store_id, item_count, id) include (badge)
  where status in ('abandoned', 'recovered', 'lost');
