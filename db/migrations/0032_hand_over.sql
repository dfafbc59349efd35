-- The hand-over of a mail is one narrow write (decision 147). What it writes is in no index and in no condition of one, so that the row keeps its
-- place and no index is touched.

-- Let onto the wire then, and its end not written down yet. Such a message counts as handed over, and as its answer says once there is one;
-- its state is still `claimed`. (`left_at` is of its cart.)
alter table messages add column departed_at timestamptz;
-- What came back: the state it leads to (state), the outcome, and whether the mail stays in the mailbox of this server (isMailbox).
alter table messages add column answer jsonb;
-- Reason and inputs of the decision to send, until they are in its record.
alter table messages add column judged jsonb;
-- No statement can move what is on the wire, or was answered, without writing its end down.
-- Rows from before have neither: they need not be read for it.
alter table messages add constraint messages_departed check (departed_at is null or (state = 'claimed' and handed_over_at is not null)) not valid;
alter table messages add constraint messages_answered check (answer is null or departed_at is not null) not valid;
-- Room for the two writes of a hand-over beside the row itself; what is long is kept apart from it.
alter table messages set (fillfactor = 60, toast_tuple_target = 512);

-- A claimed message has its hand-over ahead of it: `handed_over_at` says since when its place under the frequency cap is kept.
create or replace function take_hand_over_to_carts() returns trigger language plpgsql as $$
begin
  update carts c set is_mailed = true where c.store_id = new.store_id and c.shopper_id = new.shopper_id and not c.is_mailed;
  return null;
end $$;
drop trigger messages_inserted_mailed on messages;
create trigger messages_inserted_mailed after insert on messages for each row
  when (new.handed_over_at is not null and new.state <> 'claimed') execute function take_hand_over_to_carts();

-- For all rows of a statement at once: how many more, or fewer, have left for each person.
create function take_hand_overs_to_carts() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from new_messages where handed_over_at is not null and state <> 'claimed')
    and not exists (select 1 from old_messages where handed_over_at is not null and state <> 'claimed') then return null; end if;
  with left_for as materialized (
    select store_id, shopper_id, sum(sign) as more from (
      select store_id, shopper_id, 1 as sign from new_messages where handed_over_at is not null and state <> 'claimed'
      union all
      select store_id, shopper_id, -1 from old_messages where handed_over_at is not null and state <> 'claimed') each
    group by store_id, shopper_id having sum(sign) <> 0),
  -- carts are locked in one order by everybody
  told as materialized (
    select c.store_id, c.id, f.more > 0 as is_mailed from left_for f join carts c on c.store_id = f.store_id and c.shopper_id = f.shopper_id
    where c.is_mailed <> (f.more > 0) and (f.more > 0 or not exists (select 1 from messages m
      where m.store_id = f.store_id and m.shopper_id = f.shopper_id and m.handed_over_at is not null and m.state <> 'claimed'))
    order by c.store_id, c.id for no key update of c)
  update carts c set is_mailed = told.is_mailed from told where c.store_id = told.store_id and c.id = told.id;
  return null;
end $$;
drop trigger messages_mailed on messages;
create trigger messages_mailed after update on messages
  referencing old table as old_messages new table as new_messages for each statement execute function take_hand_overs_to_carts();

create or replace function read_person_of_cart() returns trigger language plpgsql as $$
begin
  select s.country into new.country from shoppers s where s.store_id = new.store_id and s.id = new.shopper_id;
  new.is_mailed := exists (select 1 from messages m
    where m.store_id = new.store_id and m.shopper_id = new.shopper_id and m.handed_over_at is not null and m.state <> 'claimed');
  return new;
end $$;
create or replace function reread_person_of_cart() returns trigger language plpgsql as $$
begin
  update carts c set country = s.country, is_mailed = exists (select 1 from messages m
      where m.store_id = new.store_id and m.shopper_id = new.shopper_id and m.handed_over_at is not null and m.state <> 'claimed')
  from shoppers s
  where c.store_id = new.store_id and c.id = new.id and s.store_id = new.store_id and s.id = new.shopper_id;
  return null;
end $$;

-- As before (0018), and at once done with a statement that changes nothing of what is counted: a turn on the way to the wire is one.
create or replace function note_message_figures() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into figure_changes (store_id, subject, at, cart_id, shopper_id)
    select distinct m.store_id, 'messages', m.handed_over_at, m.cart_id, m.shopper_id from new_messages m
    where is_message_figured(m.state, m.handed_over_at);
  elsif tg_op = 'DELETE' then
    insert into figure_changes (store_id, subject, at, cart_id, shopper_id)
    select distinct m.store_id, 'messages', m.handed_over_at, m.cart_id, m.shopper_id from old_messages m
    where is_message_figured(m.state, m.handed_over_at);
  elsif exists (select 1 from new_messages m where is_message_figured(m.state, m.handed_over_at))
    or exists (select 1 from old_messages m where is_message_figured(m.state, m.handed_over_at)) then
    insert into figure_changes (store_id, subject, at, cart_id, shopper_id)
    select distinct store_id, 'messages', handed_over_at, cart_id, shopper_id from (
      select store_id, id, state, reason, handed_over_at, left_at, unsubscribed_at, cost_micros, cost_currency, cart_id, shopper_id,
        coupon_code, 1 as sign from new_messages where is_message_figured(state, handed_over_at)
      union all
      select store_id, id, state, reason, handed_over_at, left_at, unsubscribed_at, cost_micros, cost_currency, cart_id, shopper_id,
        coupon_code, -1 from old_messages where is_message_figured(state, handed_over_at)) moved
    group by store_id, id, state, reason, handed_over_at, left_at, unsubscribed_at, cost_micros, cost_currency, cart_id, shopper_id,
      coupon_code
    having sum(sign) <> 0;
  end if;
  return null;
end $$;
