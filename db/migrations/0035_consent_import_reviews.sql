-- Imports of consents can be undone, and those that may have read a no as a yes are found (C5).

-- A row of an import counts while one of the imports whose files have it stands; null: it was no import.
alter table consents add column import_ids uuid[];
update consents set import_ids = array[(evidence ->> 'importId')::uuid] where source = 'import' and evidence ->> 'importId' is not null;

alter table consent_imports
  -- doubted: its opt-ins do not count until it was kept; undone: none of its rows counts
  add column standing text not null default 'stands' check (standing in ('stands', 'doubted', 'undone')),
  -- why it is or was doubted: its status came from a heading that means no, or from no column
  add column doubt text check (doubt in ('no_heading', 'no_column')),
  -- rows that became entries of the suppression list
  add column suppressed_count integer not null default 0;

-- Appended, never changed: the newest is what holds.
create table consent_import_reviews (
  store_id uuid not null,
  import_id uuid not null,
  id uuid not null,
  decision text not null check (decision in ('doubted', 'kept', 'undone')),
  -- a member's name; null: by an update of this server
  decided_by text,
  at timestamptz not null,
  primary key (store_id, import_id, id),
  foreign key (store_id, import_id) references consent_imports (store_id, id) on delete cascade
);
comment on table consent_import_reviews is 'Reviews of consent imports: doubted, kept or undone, by whom and when';

-- Imports of which this entry is; null: it has another origin, and no undo takes it off.
alter table suppressions add column import_ids uuid[];

-- What happens for itself outweighs a file: the entry is then no import's any more.
create function keep_suppression_of_its_own() returns trigger language plpgsql as $$
begin
  update suppressions set import_ids = null, source = new.source, created_at = new.created_at
  where account_id = new.account_id and address_hash = new.address_hash and channel = new.channel and reason = new.reason
    and import_ids is not null;
  return new;
end $$;
create trigger suppressions_of_their_own before insert on suppressions for each row
  when (new.import_ids is null) execute function keep_suppression_of_its_own();

-- Earlier imports: a file without a column of statuses was granted as a whole, and under a heading that means no a yes was granted.
-- The words are those of server/ledger/import-marks.ts at this time.
with named as (
  select i.store_id, i.id, i.mapping ->> 'status' is null as is_without,
    trim(regexp_replace(regexp_replace(normalize(replace(lower(regexp_replace(
      coalesce(i.columns[(i.mapping ->> 'status')::int + 1], ''), '([a-z])([A-Z])', '\1 \2', 'g')), 'ß', 'ss'), nfd),
      '[\u0300-\u036f]', '', 'g'), '[^[:alnum:]]+', ' ', 'g')) as spelled
  from consent_imports i
  where i.state <> 'uploaded' and i.mapping is not null and i.added_count > 0),
headings as (
  select store_id, id, is_without, trim(regexp_replace(spelled,
    '\y(yes no|no yes|y n|n y|ja nein|nein ja|oui non|non oui|si no|no si|sim nao|nao sim|true false|1 0|0 1)\y', '')) as plain
  from named),
doubted as (
  update consent_imports i set standing = 'doubted', doubt = case when h.is_without then 'no_column' else 'no_heading' end
  from headings h where h.store_id = i.store_id and h.id = i.id and (h.is_without or (
    not h.plain ~ any(array['\y(link|url|token|page|key|hash|rate|score|quote|taux|tasa|tasso|taxa)$',
    '\yopt(ed)? ?in\y.*\yout\y|\yopt(ed)? ?out( or| and)? (opt(ed)? ?)?in\y|\ysubscribed\y.*\yunsub|\yunsub.*\ysubscribed\y'])
    and (h.plain ~ any(array[
    '^(is )?(cancell?ed|cancellat[oa]|cancelad[oa]|revoked|revocat[oa])( (date|time|at|on|am|le|el|il|em))?$',
    '^(is )?(revocad[oa]|declined|refused|refuse|rifiutat[oa]|rechazad[oa])( (date|time|at|on|am|le|el|il|em))?$',
    '^(is )?(recusad[oa]|inactive|inaktiv|inactif|inactiv[oa]|inattiv[oa])( (date|time|at|on|am|le|el|il|em))?$',
    '^(is )?(inativ[oa]|deactivated|excluded|removed|deleted|archived)( (date|time|at|on|am|le|el|il|em))?$',
    '^(is )?(churned|left|opposed|geloscht|entfernt)( (date|time|at|on|am|le|el|il|em))?$']) or h.plain ~ any(array[
    '\y(never|non|not|no|nie|nicht|jamais|pas|nunca|mai|nao) ?(longer |been |yet |mehr |plus |mas |piu |mais )?(subscri|opted in|opt in|registered|signed up|angemeldet|abonn|eingetragen|registriert|inscrit|suscri|iscritt|assin|cadastr)',
    '\ynie (fur|beim|zum) .*(angemeldet|abonniert)|\ynoch nie\y',
    'complain|\yspam|abuse|beschwerde|plainte|signale|\yqueja|reclam[oa]|denunci',
    'unsub|\yopt(ed|s|ing|e)? ?out|\y(left|quit) (the )?(list|newsletter)|withdr[ae]w|\yobject(ed|ion)\y|abgemeldet|abmeld',
    'abbestell|\yaus(ge|zu)?trag|widerruf|widerspr(och|uch)|desabon|desinscri|\yopposition\y|\ybaja\y|desuscri|desubscri',
    'disiscri|disdett|descadastr',
    '\yblock(ed|iert|list|listed)\y|black ?list|\y(block|deny|stop) ?list|\ybanned\y|\ygesperrt|sperrliste|sperrvermerk',
    'werbesperre|\ybloque|liste (noire|rouge)|\ybloquead|lista (negra|nera)|\ybloccat|robinson',
    '\ydo ?not ?(contact|e ?mail|mail|send|market|call|text|sms|disturb|solicit|track)',
    '\ydon ?t (contact|e ?mail|mail|send|call|text|sms|disturb)|\ydnc\y',
    '\yno (more )?(contact|contactar|e ?mails?|mails?|mailings?|marketing|newsletters?|sms|texts?|advertising|ads|promotions?|publicidad|correos?|pubblicita|publicite|molestar|enviar|deseo|desea|quiere)\y',
    '\ynicht (mehr )?(kontaktieren|anschreiben|anrufen|senden|mailen|bewerben|erwunscht|gewunscht|erlaubt)|unerwunscht',
    '\ykeine?n? (werbung|newsletter|e ?mails?|mails?|kontakt|sms|einwilligung|zustimmung|erlaubnis)',
    '\yne (pas|plus|veut|souhaite)\y|\ypas de (mail|pub|newsletter|sms|contact)',
    '\ynon (contattare|inviare|desidera|vuole|disturbare)|\ynao (contatar|contactar|enviar|perturb|quer|deseja)',
    'suppress|unterdruckt|\ysupprime|\ysuprimid|\ysoppress',
    'bounc|\yclean(ed|sed)\y|^clean (time|date|reason|campaign)|undeliver|unzustellbar|nicht zustellbar|bereinigt|\yrebond',
    'nettoye|\yrebot|depurad|\ylimpi?a?d?o\y|rimbalz|respint|ripulit|devolvid',
    '\yinvalid|\yungultig|\y(no|non|not|nao) valid|\yinexist|does not exist|\y(dead|bad) (address|e ?mail)',
    'unconfirmed|unverified|unbestatigt',
    '\y(not|nicht|non|pas|no|sin|nao|sem) (yet |encore |noch )?(confirm|verifi|bestatigt|conferm)'])
    or (h.plain ~ any(array[
    '\ysubscri(bed|ption)\y|newsletter|\yaccepts?\y|\yopt(ed|s)? ?in\y|\yconsent|\ypermission',
    '\ymarketing (allowed|agreed|ok|emails?)\y|\yagree(d|s|ment)\y|mailing list|\y(gdpr|dsgvo|rgpd|lgpd)\y|einwillig|zustimm',
    'angemeldet|abonni?e|werbung erlaubt|consentement|\yinscrit|\yaccept|suscri|\yconsentim|\yacepta|iscri(tt|zion)',
    '\yconsenso|\yaccett|\yaceit|\yassinante']) and h.plain ~ any(array[
    '\y(no|not|non|nicht|keine?n?|ohne|without|never|nie|pas|sans|jamais|sin|nunca|senza|mai|sem|nao|ne|stop)\y',
    '\y(ended|expired|stopped|terminated|lapsed|entzogen|zuruckgezogen|gekundigt|beendet|abgelaufen|abgelehnt|verweigert)\y',
    '\y(annule|termine|expire|denegad|negad|negat|scadut|terminat|finalizad|encerrad|expirad|removed|deleted|disabled)',
    '\y(cancel|revo(ke|ked|que|cad|cat|gad)|declin|reject|refus|rechaz|rifiut|recus|denied|retire|retirad|oppose|inactiv|inaktiv|deaktiv|deactiv)'])))))
  returning i.store_id, i.id, i.file_name, i.row_count, i.doubt),
reviewed as (
  insert into consent_import_reviews (store_id, import_id, id, decision, at)
  select store_id, id, gen_random_uuid(), 'doubted', now() from doubted)
insert into pending_notifications (store_id, id, type, data, created_at)
select store_id, gen_random_uuid(), 'import_doubted',
  jsonb_build_object('importId', id, 'fileName', file_name, 'rows', row_count, 'doubt', doubt), now()
from doubted;
