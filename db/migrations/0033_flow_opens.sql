-- The list of flows reads who opened and clicked from the figures of days, as the report beside it does. Sums of message_figures, as the others.
alter table flow_figures add column opened bigint not null default 0, add column machine_opened bigint not null default 0;
update flow_figures f set opened = m.opened, machine_opened = m.machine_opened
from (select store_id, origin_id, day, step_id, variant_id, currency, sum(opened) as opened, sum(machine_opened) as machine_opened
  from message_figures where origin_kind = 'flow' group by 1, 2, 3, 4, 5, 6 having sum(opened + machine_opened) > 0) m
where f.store_id = m.store_id and f.flow_id = m.origin_id and f.day = m.day and f.step_id = m.step_id and f.variant_id = m.variant_id
  and f.currency = m.currency;
