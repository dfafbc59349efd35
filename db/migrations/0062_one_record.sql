-- An accepted mail has one record instead of two: the decision to send it, with the provider's reply.
alter table decisions add column result text, add column result_at timestamptz, add column result_inputs jsonb;
alter table decisions add constraint decisions_result
  check (result is null or (result_at is not null and result_inputs is not null)) not valid;

-- Each decision and each result, as they were written before.
create view decision_records as
select store_id, id, message_id, at, outcome, reason, until, inputs from decisions
union all
select store_id, id, message_id, result_at, 'result', result, null, result_inputs from decisions where result is not null;

-- Records and links are written in a statement that writes their message as well, so its row is locked; and they go with it by a trigger. A foreign
-- key looked the message up for each of them.
create function drop_records_of_messages() returns trigger language plpgsql as $$
begin
  delete from decisions d using old_messages m where d.store_id = m.store_id and d.message_id = m.id;
  delete from link_tokens t using old_messages m where t.store_id = m.store_id and t.message_id = m.id;
  return null;
end $$;
create trigger messages_records_go after delete on messages
  referencing old table as old_messages for each statement execute function drop_records_of_messages();
alter table decisions drop constraint decisions_store_id_message_id_fkey;
alter table link_tokens drop constraint link_tokens_store_id_message_id_fkey;
