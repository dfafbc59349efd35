-- The wording of a consent box in further languages, which the plugin shows in a shop's or shopper's language. '': in every other language.
alter table consent_wordings
  add column language text not null default '' check (language ~ '^([a-z]{2})?$'),
  drop constraint consent_wordings_pkey,
  add primary key (store_id, channel, language);
