-- The same sums by day of UTC: a span of many days is these, and slots only for its ragged ends. Kept by the fold.
create table rollup_days (
  store_id uuid not null references stores on delete cascade,
  day timestamptz not null,
  currency char(3) not null,
  abandoned bigint not null,
  abandoned_recovered bigint not null,
  recovered bigint not null,
  attributed_minor bigint not null,
  primary key (store_id, day, currency)
);
insert into rollup_days (store_id, day, currency, abandoned, abandoned_recovered, recovered, attributed_minor)
select store_id, date_trunc('day', slot, 'UTC'), currency, sum(abandoned), sum(abandoned_recovered), sum(recovered), sum(attributed_minor)
from rollups where slot > '-infinity' group by 1, 2, 3;
