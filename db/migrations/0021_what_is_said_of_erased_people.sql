-- What an erased person says and does later is kept under their hash alone (C8): whoever writes it, nothing names them again.
create function is_erased(of_account uuid, hash bytea) returns boolean language sql stable as $$
  select exists (select from suppressions where account_id = of_account and address_hash = hash and reason = 'erased')
$$;

create function keep_erased_nameless() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'suppressions' then
    if is_erased(new.account_id, new.address_hash) then
      new.address := null;
      new.note := null;
    end if;
  elsif is_erased((select account_id from stores where id = new.store_id), new.address_hash) then
    new.who := null;
    new.evidence := null;
  end if;
  return new;
end $$;
create trigger suppressions_nameless before insert on suppressions for each row
  when (new.address is not null or new.note is not null) execute function keep_erased_nameless();
create trigger consents_nameless before insert on consents for each row execute function keep_erased_nameless();
