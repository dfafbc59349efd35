-- Accounts without a budget for SMS and WhatsApp get one: twice their most expensive month, and no less than what new accounts get.
with highest as (
  select a.id, a.is_demo, max(s.micros) filter (where s.currency = 'USD') as micros, coalesce(max(s.micros), 0) > 0 as has_spent
  from accounts a left join sending_spend s on s.account_id = a.id
  where not exists (select 1 from sending_budgets b where b.account_id = a.id)
  group by a.id),
given as (
  insert into sending_budgets (account_id, monthly_micros, currency, updated_at)
  select id, greatest(50, ceil(2 * coalesce(micros, 0) / 1000000.0))::bigint * 1000000, 'USD', now() from highest
  returning account_id, monthly_micros)
insert into pending_account_notifications (account_id, id, type, data, created_at)
select g.account_id, gen_random_uuid(), 'budget_set', jsonb_build_object('monthly', g.monthly_micros / 1000000), now()
from given g join highest h on h.id = g.account_id where h.has_spent and not h.is_demo;
