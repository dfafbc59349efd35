-- First mails to people without an order, of which a new account may send only so many in 24 hours.
alter table messages add column is_first_mail boolean not null default false;
