-- Apart from the constraint itself: reports are read meanwhile, and written.
alter table mail_reports validate constraint mail_reports_kind_check;
