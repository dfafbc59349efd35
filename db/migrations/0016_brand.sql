-- The look of a store's mails: its brand kit, the logos it has had, and a logo found in the store.

-- Re-encoded by us. One that is no longer used stays, as mails that have left show it.
create table brand_logos (
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

-- None: the store has not set any, and its mails have the defaults.
create table brand_kits (
  store_id uuid primary key references stores on delete cascade,
  -- colours, letters, corners, social links and words, as shared/brand.ts has them
  look jsonb not null default '{}',
  logo_hash text,
  -- A save that names an older version is refused: somebody else has changed the kit in the meantime.
  version integer not null default 0,
  updated_at timestamptz not null,
  foreign key (store_id, logo_hash) references brand_logos
);

-- A logo found in the store. It is used only once a member has confirmed it.
create table brand_proposals (
  store_id uuid primary key references stores on delete cascade,
  source text not null check (source in ('site_logo', 'site_icon')),
  logo_hash text not null,
  state text not null default 'open' check (state in ('open', 'confirmed', 'dismissed')),
  found_at timestamptz not null,
  foreign key (store_id, logo_hash) references brand_logos
);
