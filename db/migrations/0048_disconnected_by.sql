-- Who ended the connection, for the owner who comes back; null of stores that were disconnected before this was kept.
alter table stores add column disconnected_by text
  check (disconnected_by in ('recoup', 'shop', 'uninstall', 'other_account'));
