-- Consents that earlier versions recorded as proven although nothing had confirmed whose address it was (C5). They still count as consents, as
-- those of a page do. An SMS consent that its store wants confirmed does not count until it is.

-- Given on the shop's account page. Consents of a checkout have had a mark from the start, so only these have none, and those of people who
-- were erased (`who`). The customer is not known any more, so that no purchase proves them.
update consents c set source = 'account page, unconfirmed', evidence = '{"unproven": "account page"}',
    status = case when c.channel = 'sms' and c.status = 'granted' and s.sms_confirmation = 'page_script' then 'pending' else c.status end
  from stores s
  where s.id = c.store_id and c.source = 'checkout' and c.evidence is null and c.who is not null
    and c.import_ids is null and not c.is_confirmed;

-- Given with an order that has not become a purchase. Their ids are those of an unproven consent (`orderWordId`), so that a payment proves them.
update consents c set source = 'unpaid order', evidence = coalesce(c.evidence, '{}') || '{"unproven": "unpaid order"}', id = n.unproven_id,
    status = case when c.channel = 'sms' and c.status = 'granted' and n.sms_confirmation = 'page_script' then 'pending' else c.status end
  from (
    select h.store_id, h.sms_confirmation,
      concat(substr(h.paid, 1, 8), '-', substr(h.paid, 9, 4), '-8', substr(h.paid, 14, 3), '-8', substr(h.paid, 18, 3), '-', substr(h.paid, 21, 12))::uuid as id,
      concat(substr(h.unproven, 1, 8), '-', substr(h.unproven, 9, 4), '-8', substr(h.unproven, 14, 3), '-8', substr(h.unproven, 18, 3), '-', substr(h.unproven, 21, 12))::uuid as unproven_id
    from (
      select o.store_id, s.sms_confirmation, encode(sha256(k.name), 'hex') as paid,
        encode(sha256(k.name || '\x00'::bytea || convert_to('unpaid order', 'UTF8')), 'hex') as unproven
      from orders o join stores s on s.id = o.store_id
      cross join unnest(array['email', 'sms', 'whatsapp']) as b(channel)
      cross join lateral (select convert_to(o.store_id::text, 'UTF8') || '\x00'::bytea || convert_to('order', 'UTF8') || '\x00'::bytea
        || convert_to(o.order_id, 'UTF8') || '\x00'::bytea || convert_to(b.channel, 'UTF8') as name) k
      -- Stores cancel most unpaid orders.
      where o.kind <> 'purchase' and o.purchased_at is null and o.own_purchased_at is null) h) n
  where c.store_id = n.store_id and c.id = n.id and c.source = 'order'
    and not exists (select 1 from consents k where k.store_id = n.store_id and k.id = n.unproven_id);
