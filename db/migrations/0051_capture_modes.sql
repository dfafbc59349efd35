-- What a store stores about shoppers before they consent (C9). null: an older store whose owner has not chosen yet; treated as cart_and_contact.
alter table stores add column before_consent text check (before_consent in ('nothing', 'cart_only', 'cart_and_contact'));

create table capture_choices (
  store_id uuid not null references stores on delete cascade,
  id uuid not null,
  mode text not null check (mode in ('nothing', 'cart_only', 'cart_and_contact')),
  -- Present where more is kept than usual for the countries the store sells to.
  legal_ground text check (length(legal_ground) between 20 and 2000),
  created_at timestamptz not null,
  created_by uuid references users on delete set null,
  created_by_name text not null,
  primary key (store_id, id)
);
comment on table capture_choices is 'What a store''s team chose to keep of shoppers before they agree; the newest is in force (stores.before_consent)';
create index capture_choices_newest on capture_choices (store_id, created_at desc, id desc);
