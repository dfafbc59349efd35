-- What the shops' pages posted about carts, as it came: kept and answered at once, made facts a moment later.
create table capture_posts (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  received_at timestamptz not null,
  post jsonb not null,
  primary key (store_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
-- Nearly always empty; only what a process left behind is looked for.
create index capture_posts_by_time on capture_posts (received_at);

-- Which posts of the same page there are, however many facts the shopper has.
create index facts_by_page on facts (store_id, shopper_id, (payload ->> 'page'), ((payload ->> 'seq')::integer))
  where payload ->> 'page' is not null;
