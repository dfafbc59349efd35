-- Emails that are built of blocks, and the pictures in them.

-- The document of an email (shared/messages/mail-document.ts); null: the email is its subject and body. With a document,
-- subject and body are its words as text.
alter table templates add column design jsonb;
alter table manual_messages add column design jsonb;

-- Re-encoded by us. A picture is kept while an email has it and for 90 days after (server/carts/brand/images.ts), because
-- mail programs load it when a sent mail is opened. Then it is deleted once the store has too many.
create table mail_images (
  store_id uuid not null references stores on delete cascade,
  -- SHA-256 of the content, in hex
  hash text not null,
  type text not null check (type in ('png', 'jpeg')),
  width smallint not null,
  height smallint not null,
  content bytea not null,
  created_at timestamptz not null,
  -- when a design of a template with it was last replaced; null: never
  replaced_at timestamptz,
  primary key (store_id, hash)
);

-- By trigger, so that no statement that writes templates can forget it. In the order of the key, against deadlocks.
create function date_replaced_images() returns trigger language plpgsql as $$
begin
  update mail_images i set replaced_at = new.updated_at
  from (
    select hash from mail_images where store_id = old.store_id and hash in (
      select split_part(asset #>> '{}', '.', 1) from jsonb_path_query(old.design, '$.**.asset') asset)
    order by hash for no key update) used
  where i.store_id = old.store_id and i.hash = used.hash;
  return null;
end $$;
create trigger templates_redesigned after update of design on templates for each row
  when (old.design is not null and old.design is distinct from new.design) execute function date_replaced_images();
