-- A search of the list of carts under one badge read every cart that begins with the text: an index of texts did not know which of them have
-- the badge until it had read them. Texts come after the badge now, so as many entries are read as carts are found, and a search or an order
-- without a badge reads one range of each badge. Where nothing begins with a text it is looked for in the newest carts, whose names, emails
-- and numbers are read in the index itself.
drop index carts_list_by_activity, carts_list_by_badge, carts_list_by_customer, carts_list_by_email, carts_list_by_phone, carts_by_last_name;

create index carts_list_by_activity on carts (store_id, last_activity_at desc, id desc) include (search)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_badge on carts (store_id, badge, last_activity_at desc, id desc) include (search)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_customer on carts (store_id, badge, (search collate "C"), id) include (last_activity_at)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_email on carts (store_id, badge, (email collate "C") nulls first, id) include (last_activity_at)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_list_by_phone on carts (store_id, badge, (phone collate "C") nulls first, id) include (last_activity_at)
  where status in ('abandoned', 'recovered', 'lost');
create index carts_by_last_name on carts (store_id, badge, (substring(lower(customer_name) from '[^ ]+$') collate "C"), id)
  include (customer_name, last_activity_at) where status in ('abandoned', 'recovered', 'lost');

-- An index is read without its rows only where a vacuum has marked them as visible to all. By PostgreSQL's defaults it comes after a fifth
-- of the table is new, and the newest carts are the ones that are looked through.
alter table carts set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
