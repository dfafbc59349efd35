-- The worker that looks for due work in all stores. One row.
create table look_lease (
  id int primary key check (id = 1),
  worker_id uuid not null,
  until timestamptz not null
);
