-- Erasing a person also erases what they chose or typed for an item, such as an engraving (C8). This does it for those erased before.
create temporary table erased_shoppers on commit drop as
  select store_id, shopper_id from shopper_keys where kind = 'cart' and value = 'erased:' || shopper_id;

update facts f set payload = jsonb_set(f.payload, '{items}', (
    select jsonb_agg(item - 'choices' order by place) from jsonb_array_elements(f.payload -> 'items') with ordinality as i(item, place)))
from erased_shoppers e
where f.store_id = e.store_id and f.shopper_id = e.shopper_id and jsonb_path_exists(f.payload, '$.items[*].choices');

update carts c set
  items = coalesce((select jsonb_agg(item - 'choices' order by place)
    from jsonb_array_elements(c.items) with ordinality as i(item, place)), '[]'),
  fold = case when jsonb_path_exists(c.fold, '$.episode.items[*].choices') then jsonb_set(c.fold, '{episode,items}', (
      select jsonb_agg(item - 'choices' order by place)
      from jsonb_array_elements(c.fold #> '{episode,items}') with ordinality as i(item, place)))
    else c.fold end
from erased_shoppers e
where c.store_id = e.store_id and c.shopper_id = e.shopper_id
  and (jsonb_path_exists(c.items, '$[*].choices') or jsonb_path_exists(c.fold, '$.episode.items[*].choices'));
