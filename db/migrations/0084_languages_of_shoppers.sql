-- The language in which the shop showed itself to the shopper: a BCP 47 tag with its source, worst first: 'site', 'page', 'shop'.
alter table shoppers add column locale text, add column locale_source text,
  add constraint shoppers_locale check (length(locale) <= 35) not valid,
  add constraint shoppers_locale_source check (
    locale_source in ('site', 'page', 'shop') and (locale is null) = (locale_source is null)) not valid;

-- The shopper's when the cart had its last fact.
alter table carts add column locale text;

-- The shop's own, as it reports it; null: unknown.
alter table stores add column locale text;

-- The languages of the shopper's pages.
alter table shoppers drop constraint shoppers_language_check,
  add constraint shoppers_language_check check (language in ('en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl')) not valid;
alter table preference_wordings drop constraint preference_wordings_language_check,
  add constraint preference_wordings_language_check check (language in ('en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl')) not valid;
