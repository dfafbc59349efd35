-- opt_out: the shopper has unsubscribed at the mail provider
alter table mail_reports drop constraint mail_reports_kind_check;
alter table mail_reports add constraint mail_reports_kind_check
  check (kind in ('delivered', 'soft', 'hard', 'refused', 'complaint', 'opt_out')) not valid;
