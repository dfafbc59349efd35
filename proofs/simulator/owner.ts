// The member who sends manually, edits the suppression list and erases people: one for all scenarios of a database.

export const OWNER_ID = '00000000-0000-4000-8000-000000000001'

export const OWNER = `insert into users (id, email, name, password_hash, created_at, email_confirmed_at)
  values ('${OWNER_ID}', 'owner@simulator.example', 'Owner', 'none', now(), now())`
