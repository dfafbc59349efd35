-- The number of a post of a shop's queue can be larger than 32 bits, and the statement that looks for neighbours compares 64.
drop index facts_by_page;
create index facts_by_page on facts (store_id, shopper_id, (payload ->> 'page'), ((payload ->> 'seq')::bigint))
  where payload ->> 'page' is not null;
