-- Where the next order check goes on with the orders that await their payment, after one that could not read all of them (C9).
alter table sync_state add column pending_from timestamptz;
