-- States and times of a message have one meaning each, on every channel. `claimed`: a worker prepares it. `sending`: it may have reached the
-- provider; `sending_at` says since when. Until now a mail that was being sent was `claimed` with `departed_at`, a text was `handed_over`, and
-- `handed_over_at` of a claimed mail said that a place under the frequency cap was reserved for it. (No process of the version before runs: 0061.)

alter table messages drop constraint messages_departed, drop constraint messages_answered, drop constraint messages_has_worker,
  drop constraint messages_state_check;
-- Few rows, found by their worker. (Every row in these states has one.)
update messages set state = 'sending', handed_over_at = departed_at, claim = null,
    judged = coalesce(judged, '{"reason": "ok", "inputs": {}}')
  where state = 'claimed' and worker_id is not null and departed_at is not null;
update messages set handed_over_at = null, judged = null where state = 'claimed' and worker_id is not null;
update messages set state = 'sending', judged = null where state = 'handed_over' and worker_id is not null;

alter table messages drop column departed_at;
alter table messages rename column handed_over_at to sending_at;
-- When its cart was abandoned, as the message was sent.
alter table messages rename column left_at to cart_abandoned_at;
alter table cart_badges rename column last_handed_over_at to last_sent_at;

-- Not read for rows from before: these had the states above.
alter table messages add constraint messages_state_check check (state in ('scheduled', 'held', 'claimed', 'sending', 'sent', 'delivered',
  'failed', 'unknown', 'skipped', 'cancelled')) not valid;
alter table messages add constraint messages_has_worker check (state not in ('claimed', 'sending') or worker_id is not null) not valid;
-- No statement can move a mail that was answered, or was accepted, without writing down what follows from it.
alter table messages add constraint messages_answered check (answer is null or state = 'sending') not valid;
alter table messages add constraint messages_settled
  check (judged is null or channel <> 'email' or state not in ('sent', 'delivered', 'unknown')) not valid;

drop index messages_by_worker, messages_by_hand_over, messages_put_off;
alter index messages_handed_over rename to messages_by_shopper;

-- As before (0061), by the new names. A mail counts with what follows from it: until then its row keeps the decision to send it.
drop trigger messages_inserted_mailed on messages;
create trigger messages_inserted_mailed after insert on messages for each row
  when (new.sending_at is not null and new.judged is null) execute function note_mailed_shopper();
create or replace function note_mailed_shoppers() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from new_messages where sending_at is not null and judged is null)
    and not exists (select 1 from old_messages where sending_at is not null and judged is null) then return null; end if;
  with sent_to as materialized (
    select store_id, shopper_id, sum(sign) as more from (
      select store_id, shopper_id, 1 as sign from new_messages where sending_at is not null and judged is null
      union all
      select store_id, shopper_id, -1 from old_messages where sending_at is not null and judged is null) each
    group by store_id, shopper_id having sum(sign) <> 0),
  gone as (
    delete from mailed_shoppers w using sent_to t where t.more < 0 and w.store_id = t.store_id and w.shopper_id = t.shopper_id
      and not exists (select 1 from messages m
        where m.store_id = t.store_id and m.shopper_id = t.shopper_id and m.sending_at is not null and m.judged is null))
  insert into mailed_shoppers (store_id, shopper_id)
  select t.store_id, t.shopper_id from sent_to t join shoppers s on s.store_id = t.store_id and s.id = t.shopper_id
  where t.more > 0 order by t.store_id, t.shopper_id on conflict do nothing;
  return null;
end $$;

-- As before (0032), by the new names.
create or replace function note_message_figures() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into figure_changes (store_id, subject, at, cart_id, shopper_id)
    select distinct m.store_id, 'messages', m.sending_at, m.cart_id, m.shopper_id from new_messages m
    where is_message_figured(m.state, m.sending_at);
  elsif tg_op = 'DELETE' then
    insert into figure_changes (store_id, subject, at, cart_id, shopper_id)
    select distinct m.store_id, 'messages', m.sending_at, m.cart_id, m.shopper_id from old_messages m
    where is_message_figured(m.state, m.sending_at);
  elsif exists (select 1 from new_messages m where is_message_figured(m.state, m.sending_at))
    or exists (select 1 from old_messages m where is_message_figured(m.state, m.sending_at)) then
    insert into figure_changes (store_id, subject, at, cart_id, shopper_id)
    select distinct store_id, 'messages', sending_at, cart_id, shopper_id from (
      select store_id, id, state, reason, sending_at, cart_abandoned_at, unsubscribed_at, cost_micros, cost_currency, cart_id, shopper_id,
        coupon_code, 1 as sign from new_messages where is_message_figured(state, sending_at)
      union all
      select store_id, id, state, reason, sending_at, cart_abandoned_at, unsubscribed_at, cost_micros, cost_currency, cart_id, shopper_id,
        coupon_code, -1 from old_messages where is_message_figured(state, sending_at)) moved
    group by store_id, id, state, reason, sending_at, cart_abandoned_at, unsubscribed_at, cost_micros, cost_currency, cart_id, shopper_id,
      coupon_code
    having sum(sign) <> 0;
  end if;
  return null;
end $$;
