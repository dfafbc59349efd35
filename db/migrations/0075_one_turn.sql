-- Texts and notifications are sent as mails are: what follows from a send is written together with what came back, and until then its row keeps the
-- decision (`judged`). Until now the decision was recorded as they left. Few rows, found by their worker.

-- Workers of the old version send texts without `judged`. While one of them runs, this migration is retried; then it fails.
do $$
begin
  if exists (select 1 from workers where seen_at between now() - interval '10 seconds' and now() + interval '10 seconds') then
    raise exception 'another process of Recoup is running' using errcode = 'lock_not_available';
  end if;
end $$;

with sent as materialized (
  select m.store_id, m.id, d.id as record, d.reason, d.inputs from messages m
  left join lateral (select id, reason, inputs from decisions d where d.store_id = m.store_id and d.message_id = m.id
    and d.outcome = 'send' and d.result is null order by d.at desc, d.id desc limit 1) d on true
  where m.state = 'sending' and m.worker_id is not null and m.judged is null),
gone as (delete from decisions d using sent s where d.store_id = s.store_id and d.id = s.record)
update messages m set attempts = greatest(0, m.attempts - 1),
  judged = jsonb_build_object('reason', coalesce(s.reason, 'ok'), 'inputs', coalesce(s.inputs, '{}'))
from sent s where m.store_id = s.store_id and m.id = s.id;
