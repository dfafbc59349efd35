-- Carts whose order was cancelled, or refunded in full, before there was a mark for it.
update carts c set is_void = true
from (select distinct store_id, cart_id from orders where cart_id is not null and purchased_at is not null and net_minor = 0 and total_minor > 0) o
where c.store_id = o.store_id and c.id = o.cart_id and c.status in ('recovered', 'purchased')
  and not exists (select 1 from orders l where l.store_id = c.store_id and l.cart_id = c.id and l.purchased_at is not null
    and (l.net_minor > 0 or l.total_minor = 0 and l.kind = 'purchase'));
