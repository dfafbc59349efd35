-- A shop that Recoup cannot reach reports stock and prices with its orders (D3).

-- What messages need of its catalogue, and what the plugin reported of it.
create table plugin_goods (
  store_id uuid not null references stores on delete cascade,
  product_id text not null,
  -- '': the product itself.
  variation_id text not null,
  -- When a message needed it last.
  wanted_at timestamptz not null,
  -- When the shop read what it reported; null: not reported yet.
  read_at timestamptz,
  is_available boolean,
  price_minor bigint,
  is_on_sale boolean,
  stock_quantity integer,
  primary key (store_id, product_id, variation_id)
);
create index plugin_goods_wanted on plugin_goods (store_id, wanted_at);
create index plugin_goods_old on plugin_goods (wanted_at);

-- Whether its reports of orders come with stock and prices; null: none has come yet.
alter table plugin_connections add column reports_goods boolean;
