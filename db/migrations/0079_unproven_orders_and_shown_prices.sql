-- Orders of WooCommerce in a status of the shop's own that names a quote, or an order that is not paid. They counted as purchases whatever their
-- status meant. Found before `orders` is locked, and few: all other orders are proven, and not rewritten.
create temporary table unproven_orders on commit drop as
  select o.store_id, o.order_id from orders o join stores s on s.id = o.store_id
  where s.platform = 'woocommerce' and o.kind = 'purchase' and o.status not in ('processing', 'on-hold', 'completed', 'refunded')
    and o.status ~* ('quot|offer|offert|angebot|devis|presupuest|cotiza|preventiv|orcament|wycen|ywraq|'
      || 'unpaid|not-?paid|unbezahlt|impay|(await|wait|pend)[a-z-]*paym')
    -- Those were bought, or may have been.
    and o.status !~* ('return|retour|refund|erstatt|parti[ae]l|parcial|parzial|teil|accept|approv|angenomm|confirm|'
      || '(?<!un|un-|not|not-)(paid|bezahlt)');

-- Their consents are unproven, as db/migrations/0078_unproven_consents.sql says of other unpaid orders.
update consents c set source = 'unpaid order', evidence = coalesce(c.evidence, '{}') || '{"unproven": "unpaid order"}', id = n.unproven_id,
    status = case when c.channel = 'sms' and c.status = 'granted' and n.sms_confirmation = 'page_script' then 'pending' else c.status end
  from (
    select h.store_id, h.sms_confirmation,
      concat(substr(h.paid, 1, 8), '-', substr(h.paid, 9, 4), '-8', substr(h.paid, 14, 3), '-8', substr(h.paid, 18, 3), '-', substr(h.paid, 21, 12))::uuid as id,
      concat(substr(h.unproven, 1, 8), '-', substr(h.unproven, 9, 4), '-8', substr(h.unproven, 14, 3), '-8', substr(h.unproven, 18, 3), '-', substr(h.unproven, 21, 12))::uuid as unproven_id
    from (
      select o.store_id, s.sms_confirmation, encode(sha256(k.name), 'hex') as paid,
        encode(sha256(k.name || '\x00'::bytea || convert_to('unpaid order', 'UTF8')), 'hex') as unproven
      from unproven_orders o join stores s on s.id = o.store_id
      cross join unnest(array['email', 'sms', 'whatsapp']) as b(channel)
      cross join lateral (select convert_to(o.store_id::text, 'UTF8') || '\x00'::bytea || convert_to('order', 'UTF8') || '\x00'::bytea
        || convert_to(o.order_id, 'UTF8') || '\x00'::bytea || convert_to(b.channel, 'UTF8') as name) k) h) n
  where c.store_id = n.store_id and c.id = n.id and c.source = 'order'
    and not exists (select 1 from consents k where k.store_id = n.store_id and k.id = n.unproven_id);

-- Never paid, and never in a status that counts (S4); and the amount of such an order, while it is no revenue.
alter table orders add column is_unproven boolean not null default false, add column waiting_minor bigint;

update orders o set is_unproven = true from unproven_orders u where o.store_id = u.store_id and o.order_id = u.order_id;

-- What the shop's owner entered, where its pages show another price: with tax, or without. Then price_minor is the one that is shown.
alter table products add column entered_minor bigint;
