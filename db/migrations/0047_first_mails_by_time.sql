-- no transaction
create index concurrently messages_first_mails on messages (store_id, handed_over_at) where is_first_mail;
