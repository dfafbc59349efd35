-- Messages of every channel are settled in one way (0075), so the condition guards all of them, not mails alone.

-- Texts of versions before 0074 that had been prepared as mails first. Read before the table is locked.
update messages set judged = null
  where judged is not null and channel <> 'email' and state in ('sent', 'delivered', 'unknown');

alter table messages drop constraint messages_settled,
  add constraint messages_settled check (judged is null or state not in ('sent', 'delivered', 'unknown')) not valid;
