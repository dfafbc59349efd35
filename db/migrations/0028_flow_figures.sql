-- What the report of a flow and the list of flows read (decision 57): the figures of its messages by day, step and variant, without the channel
-- and the hours that only analytics asks for. Counted with message_figures, of which they are sums.
create table flow_figures (
  store_id uuid not null references stores on delete cascade,
  flow_id uuid not null,
  day date not null,
  step_id uuid not null,
  -- nil: there was no choice
  variant_id uuid not null,
  -- of the amount; '': counts
  currency char(3) not null,
  accepted bigint not null,
  delivered bigint not null,
  clicked bigint not null,
  credited bigint not null,
  unsubscribed bigint not null,
  attributed_minor bigint not null,
  primary key (store_id, flow_id, day, step_id, variant_id, currency)
);
create index flow_figures_by_day on flow_figures (store_id, day);

insert into flow_figures
select store_id, origin_id, day, step_id, variant_id, currency, sum(accepted), sum(delivered), sum(clicked), sum(credited), sum(unsubscribed),
  sum(attributed_minor)
from message_figures where origin_kind = 'flow' group by 1, 2, 3, 4, 5, 6;
