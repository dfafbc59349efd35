-- no transaction
create index concurrently orders_by_parent on orders (store_id, parent_id) where parent_id is not null;
