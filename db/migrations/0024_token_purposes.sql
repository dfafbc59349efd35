-- What a link's token is good for (X1), by name again: a purpose nobody knows would open nothing, and be kept for 30 days.
alter table link_tokens drop constraint link_tokens_purpose_check,
  add constraint link_tokens_purpose_check check (purpose in ('restore', 'click', 'unsubscribe', 'preferences'));
