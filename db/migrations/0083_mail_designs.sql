-- Emails that are built of blocks, and the pictures in them.

-- The document of an email (shared/messages/mail-document.ts); null: the email is its subject and body. With a document,
-- subject and body are its words as text.
alter table templates add column design jsonb;
alter table manual_messages add column design jsonb;

-- Re-encoded by us. Sent mails keep showing them.
create table mail_images (
  store_id uuid not null references stores on delete cascade,
  -- SHA-256 of the content, in hex
  hash text not null,
  type text not null check (type in ('png', 'jpeg')),
  width smallint not null,
  height smallint not null,
  content bytea not null,
  created_at timestamptz not null,
  primary key (store_id, hash)
);
