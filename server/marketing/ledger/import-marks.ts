import type { ImportChannel, ImportReason } from '../../../shared/marketing/ledger.ts'

// Recognizes what headings and cells of other tools' exports say about consent, in English, German, French, Spanish,
// Italian and Portuguese; opt-outs also in Dutch and Polish. Opt-outs are checked first: unreadable text never counts
// as an opt-in (C5). Pure.

/**
 * Lower case, without accents and punctuation: splits `EMAIL_BLACKLISTED`, `spamComplaint` and `Désinscrit` into plain
 * words.
 */
export const toPlainText = (text: string): string =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const pattern = (...alternatives: string[]) => new RegExp(alternatives.join('|'))

/**
 * Patterns for headings and cells; `db/migrations/0035_consent_import_reviews.sql` has the heading patterns for older
 * files. The first match is the reason: a complaint outranks an opt-out, which outranks a bounce.
 */
const REFUSALS: readonly [ImportReason, RegExp][] = [
  [
    'never',
    pattern(
      '\\b(never|non|not|no|nie|nicht|jamais|pas|nunca|mai|nao) ?(longer |been |yet |mehr |plus |mas |piu |mais )?(subscri|opted in|opt in|registered|signed up|angemeldet|abonn|eingetragen|registriert|inscrit|suscri|iscritt|assin|cadastr)',
      '\\bnie (fur|beim|zum) .*(angemeldet|abonniert)',
      '\\bnoch nie\\b',
    ),
  ],
  [
    'complained',
    pattern('complain', '\\bspam', 'abuse', 'beschwerde', 'plainte', 'signale', '\\bqueja', 'reclam[oa]', 'denunci'),
  ],
  [
    'opted_out',
    pattern(
      'unsub',
      '\\bopt(ed|s|ing|e)? ?out',
      '\\b(left|quit) (the )?(list|newsletter)',
      'withdr[ae]w',
      '\\bobject(ed|ion)\\b',
      'abgemeldet',
      'abmeld',
      'abbestell',
      '\\baus(ge|zu)?trag',
      'widerruf',
      'widerspr(och|uch)',
      'desabon',
      'desinscri',
      '\\bopposition\\b',
      '\\bbaja\\b',
      'desuscri',
      'desubscri',
      'disiscri',
      'disdett',
      'descadastr',
      'uitgeschreven',
      'uitschrij',
      'afgemeld',
      'afmeld',
      '\\bwypis',
      'rezygn',
    ),
  ],
  [
    'blocked',
    pattern(
      '\\bblock(ed|iert|list|listed)\\b',
      'black ?list',
      '\\b(block|deny|stop) ?list',
      '\\bbanned\\b',
      '\\bgesperrt',
      'sperrliste',
      'sperrvermerk',
      'werbesperre',
      '\\bbloque',
      'liste (noire|rouge)',
      '\\bbloquead',
      'lista (negra|nera)',
      '\\bbloccat',
      'robinson',
      '\\bdo ?not ?(contact|e ?mail|mail|send|market|call|text|sms|disturb|solicit|track)',
      '\\bdon ?t (contact|e ?mail|mail|send|call|text|sms|disturb)',
      '\\bdnc\\b',
      '\\bno (more )?(contact|contactar|e ?mails?|mails?|mailings?|marketing|newsletters?|sms|texts?|advertising|ads|promotions?|publicidad|correos?|pubblicita|publicite|molestar|enviar|deseo|desea|quiere)\\b',
      '\\bnicht (mehr )?(kontaktieren|anschreiben|anrufen|senden|mailen|bewerben|erwunscht|gewunscht|erlaubt)',
      'unerwunscht',
      '\\bkeine?n? (werbung|newsletter|e ?mails?|mails?|kontakt|sms|einwilligung|zustimmung|erlaubnis)',
      '\\bne (pas|plus|veut|souhaite)\\b',
      '\\bpas de (mail|pub|newsletter|sms|contact)',
      '\\bnon (contattare|inviare|desidera|vuole|disturbare)',
      '\\bnao (contatar|contactar|enviar|perturb|quer|deseja)',
    ),
  ],
  ['suppressed', pattern('suppress', 'unterdruckt', '\\bsupprime', '\\bsuprimid', '\\bsoppress')],
  [
    'bounced',
    pattern(
      'bounc',
      '\\bclean(ed|sed)\\b',
      '^clean (time|date|reason|campaign)',
      'undeliver',
      'unzustellbar',
      'nicht zustellbar',
      'bereinigt',
      '\\brebond',
      'nettoye',
      '\\brebot',
      'depurad',
      '\\blimpi?a?d?o\\b',
      'rimbalz',
      'respint',
      'ripulit',
      'devolvid',
    ),
  ],
  [
    'invalid',
    pattern(
      '\\binvalid',
      '\\bungultig',
      '\\b(no|non|not|nao) valid',
      '\\binexist',
      'does not exist',
      '\\b(dead|bad) (address|e ?mail)',
    ),
  ],
  [
    'unconfirmed',
    pattern(
      'unconfirmed',
      'unverified',
      'unbestatigt',
      '\\b(not|nicht|non|pas|no|sin|nao|sem) (yet |encore |noch )?(confirm|verifi|bestatigt|conferm)',
    ),
  ],
]

/** For cells only: as headings, these words may be about orders. */
const CELL_REFUSALS: readonly [ImportReason, RegExp][] = [
  [
    'opted_out',
    pattern(
      '\\b(cancel|canceled|cancelled|cancel[la]?ad[oa]|cancellat[oa]|annullat[oa]|anulad[oa]|resilie)',
      '\\brevo(ke|ked|que|cad|cat|gad)',
      '\\b(declin|reject|refus|rechaz|rifiut|recus|denied|abgelehnt)',
      '\\b(removed|deleted|archived|deactivated|disabled|excluded|geloscht|deaktiviert|entfernt|archiviert|retire|oppose|exclu|retirad|eliminad|excluid|rimoss|eliminat|esclus|removid)',
      '\\bin(aktiv|active|actif|activ[oa]|attiv[oa])\\b',
      '\\binativ[oa]\\b',
      '^(stop|stopped|quit|out|off|left)\\b',
      '^said no$',
    ),
  ],
  [
    'unconfirmed',
    pattern('\\bpending\\b', 'awaiting', 'ausstehend', 'en attente', 'pendiente', 'in attesa', 'pendente'),
  ],
]

/** A soft bounce is neither a consent nor an opt-out. */
const PASSING = /\bsoft ?bounc/

/** The reason if the text means an opt-out; null: none recognized. */
const findRefusal = (plain: string): ImportReason | null =>
  PASSING.test(plain) ? null : (REFUSALS.find(([, refusal]) => refusal.test(plain))?.[0] ?? null)

const findCellRefusal = (plain: string): ImportReason | null =>
  PASSING.test(plain)
    ? null
    : (findRefusal(plain) ?? CELL_REFUSALS.find(([, refusal]) => refusal.test(plain))?.[0] ?? null)

/** A complaint comes from the person and outranks all; reasons that are not the person's act come last. */
const REASON_ORDER: readonly ImportReason[] = [
  'complained',
  'opted_out',
  'blocked',
  'suppressed',
  'bounced',
  'invalid',
  'unconfirmed',
  'never',
]

export const strongestReason = (reasons: readonly ImportReason[]): ImportReason | null =>
  REASON_ORDER.find((reason) => reasons.includes(reason)) ?? null

const set = (list: string) => new Set(list.split(/\s+/).filter(Boolean))

const YES = set('yes y true t 1 on ja wahr j oui vrai o si sim s vero verdadero verdadeiro')
const NO = set('no n false f 0 off nein falsch non faux nao falso nope')
/** Status values, normalized by `toPlainText`, with hyphens for spaces. */
const GRANTED = set(`
  granted given subscribed subscriber active optin opt-in opted-in confirmed double-opt-in single-opt-in consented accepted agreed
  allowed said-yes
  aktiv angemeldet abonniert eingetragen bestatigt eingewilligt zugestimmt erteilt einverstanden
  actif active abonne abonnee inscrit inscrite confirme confirmee accepte acceptee consenti
  activo activa suscrito suscrita suscripto suscripta confirmado confirmada aceptado aceptada acepta
  attivo attiva iscritto iscritta confermato confermata accettato accettata
  ativo ativa inscrito inscrita assinante cadastrado cadastrada aceito aceite`)
const EMPTY = set('none null nil n-a na undefined unknown 0000-00-00 0000-00-00-00-00-00')

/**
 * What a cell says. `yes` and `no` answer its heading; `granted` and a reason need no heading; `empty` says nothing.
 * `unread`: text that cannot be interpreted. `mark`: an x, which may tick or cross out a box. `time`: looks like a
 * date.
 */
export type CellMark = 'yes' | 'no' | 'granted' | 'empty' | 'unread' | 'mark' | 'time' | { reason: ImportReason }

/** “No data”, “Non renseigné”: not a decision of a person. */
const UNKNOWN =
  /\b(data|info|value|set|known|available|applicable|disponibl|renseigne|angabe|dato|definid|definit|specifi)/
/** A longer cell is prose. Its beginning is searched for an opt-out, and it never counts as an opt-in. */
const LONGEST = 300
const TICKED = /^[✓✔☑✅]\ufe0f?$/u
const CROSSED = /^[✗✘❌☒]\ufe0f?$/u

export function cellMark(text: string): CellMark {
  const cell = text.trim().slice(0, LONGEST)
  if (TICKED.test(cell)) return 'yes'
  if (CROSSED.test(cell)) return 'no'
  const plain = toPlainText(cell)
  const word = plain.replaceAll(' ', '-')
  if (word === '' || EMPTY.has(word)) return 'empty'
  if (YES.has(word)) return 'yes'
  if (NO.has(word)) return 'no'
  const reason = findCellRefusal(plain)
  if (reason) return { reason }
  if (/^x+$/.test(word)) return 'mark'
  if (/^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b|^\d{10}(\d{3})?$/.test(cell)) return 'time'
  if (/^(no|non|nein|nao) /.test(plain)) return UNKNOWN.test(plain) ? 'unread' : { reason: 'opted_out' }
  return GRANTED.has(word) ? 'granted' : 'unread'
}

export type HeadingKind =
  /** A yes under this heading is an opt-out. `isDetail`: any content implies one, such as its time or campaign. */
  | { means: 'no'; reason: ImportReason; isDetail: boolean }
  | { means: 'yes' }
  /** Names both; only cells that need no heading can be read. */
  | { means: 'either' }

const EITHER =
  /\bopt(ed)? ?in\b.*\bout\b|\bopt(ed)? ?out( or| and)? (opt(ed)? ?)?in\b|\bsubscribed\b.*\bunsub|\bunsub.*\bsubscribed\b/
/** Columns that everyone in a file has, with or without consent. */
const COMMON_COLUMN = /\b(link|url|token|page|key|hash|rate|score|quote|taux|tasa|tasso|taxa)$/
const DETAIL =
  /\b(date|time|timestamp|at|on|am|datum|zeit|zeitpunkt|fecha|hora|data|ora|le|el|il|em|reason|campaign|title|comment|method|source|ip|id|form|type|grund|kommentar|kampagne|quelle|raison|motif|motivo|razon|causa|campagne|campana|campagna|campanha|note|by|von|par|por|da)$/
/** Details of an opt-in: when, where and how, not whether. */
const NOT_WHETHER =
  /\b(date|time|timestamp|at|on|am|ip|url|link|source|method|form|text|wording|statement|language|country|id|version|count|rate|lists?|tags?|name|plan|datum|zeit|zeitpunkt|quelle|fecha|hora|data|ora|le|el|il|em)$|^(date|datum|fecha|data|when|time) /

/** As a whole heading, these words can only be about the person. */
const BARE_REFUSAL =
  /^(is )?(cancell?ed|cancellat[oa]|cancelad[oa]|revoked|revocat[oa]|revocad[oa]|declined|refused|refuse|rifiutat[oa]|rechazad[oa]|recusad[oa]|inactive|inaktiv|inactif|inactiv[oa]|inattiv[oa]|inativ[oa]|deactivated|excluded|removed|deleted|archived|churned|left|opposed|geloscht|entfernt)( (date|time|at|on|am|le|el|il|em))?$/
/** Together with consent words: it has ended, was never given, or is none. */
const ENDED_CONSENT = pattern(
  '\\b(no|not|non|nicht|keine?n?|ohne|without|never|nie|pas|sans|jamais|sin|nunca|senza|mai|sem|nao|ne|stop)\\b',
  '\\b(ended|expired|stopped|terminated|lapsed|entzogen|zuruckgezogen|gekundigt|beendet|abgelaufen|abgelehnt|verweigert)\\b',
  '\\b(annule|termine|expire|denegad|negad|negat|scadut|terminat|finalizad|encerrad|expirad|removed|deleted|disabled)',
  '\\b(cancel|revo(ke|ked|que|cad|cat|gad)|declin|reject|refus|rechaz|rifiut|recus|denied|retire|retirad|oppose|inactiv|inaktiv|deaktiv|deactiv)',
)
/** Headings that offer both answers. */
const ANSWERS =
  /\b(yes no|no yes|y n|n y|ja nein|nein ja|oui non|non oui|si no|no si|sim nao|nao sim|true false|1 0|0 1)\b/
const STATUS = /\b(status|state|estado|stato|statut|etat)$/
const OTHER_STATUS =
  /\b(order|payment|financial|fulfil|shipping|delivery|invoice|cart|vip|loyalty|bestell|zahl|versand|commande|paiement|pedido|pago|ordine|pagamento)/
/** Words that may also be about orders and payments. */
const ABOUT_THINGS: readonly ImportReason[] = ['bounced', 'blocked', 'complained', 'invalid', 'unconfirmed']
const YES_HEADING = pattern(
  '\\bsubscri(bed|ption)\\b',
  'newsletter',
  '\\baccepts?\\b',
  '\\bopt(ed|s)? ?in\\b',
  '\\bconsent',
  '\\bpermission',
  '\\bmarketing (allowed|agreed|ok|emails?)\\b',
  '\\bagree(d|s|ment)\\b',
  'mailing list',
  '\\b(gdpr|dsgvo|rgpd|lgpd)\\b',
  'einwillig',
  'zustimm',
  'angemeldet',
  'abonni?e',
  'werbung erlaubt',
  'consentement',
  '\\binscrit',
  '\\baccept',
  'suscri',
  '\\bconsentim',
  '\\bacepta',
  'iscri(tt|zion)',
  '\\bconsenso',
  '\\baccett',
  '\\baceit',
  '\\bassinante',
)

export function headingKind(name: string): HeadingKind | null {
  const plain = toPlainText(name).replace(ANSWERS, '').trim()
  if (EITHER.test(plain)) return { means: 'either' }
  const isTurned = YES_HEADING.test(plain) && ENDED_CONSENT.test(plain)
  const reason = BARE_REFUSAL.test(plain) ? 'opted_out' : (findRefusal(plain) ?? (isTurned ? 'opted_out' : null))
  if (reason) {
    const isOther = COMMON_COLUMN.test(plain) || (OTHER_STATUS.test(plain) && ABOUT_THINGS.includes(reason))
    return isOther ? null : { means: 'no', reason, isDetail: DETAIL.test(plain) }
  }
  if (NOT_WHETHER.test(plain)) return null
  const isStatus = STATUS.test(plain) && !OTHER_STATUS.test(plain)
  return isStatus || YES_HEADING.test(plain) ? { means: 'yes' } : null
}

const CHANNELS: readonly [ImportChannel | 'other', RegExp][] = [
  ['email', /\be ?mails?\b|newsletter/],
  ['sms', /\b(sms|texts?|mobile|phone|call|telefon|handy|telephone|movil|cellulare|celular)\b/],
  ['whatsapp', /\bwhats ?app\b/],
  ['other', /\b(push|postal|post|letter|brief|fax)\b/],
]

/** Whether a heading is about this channel; a heading without a channel is about all. */
export function coversChannel(name: string, channel: ImportChannel): boolean {
  const plain = toPlainText(name)
  const named = CHANNELS.filter(([, list]) => list.test(plain)).map(([each]) => each)
  return named.length === 0 || named.includes(channel)
}

/** Status words that are never a name, a place or a note. They count in columns with an unknown heading. */
const STATUS_ANYWHERE =
  /^(un ?subscribed( from( the| our)? (newsletter|list|e ?mails?))?|opt(ed)? ?out( \d+)?|(hard ?)?bounced|undeliverable|cleaned|complained|spam ?complaint|suppressed|(black|block) ?listed|do not (contact|e ?mail|mail)|(non|not|never) ?subscribed|abgemeldet|abbestellt|nicht angemeldet|desabonnee?|desinscrite?|dad[oa] de baja|desuscrit[oa]|disiscritt[oa]|non iscritt[oa]|descadastrad[oa]|uitgeschreven|afgemeld|wypisan[ya])$/
/** A quick check that most cells end at. */
const QUICK_CHECK =
  /sub|out|bounc|clean|compl|suppress|list|not|abgemeldet|abbestellt|d.?sabonn|d.?sinscri|baja|suscri|iscri|descad|undeliv|uitgeschr|afgemeld|wypisan/i

/** For cells without a known heading, including lists of tags. */
export function findRefusalAnywhere(text: string): ImportReason | null {
  if (!QUICK_CHECK.test(text)) return null
  const tags = text.split(/[,;|]/).map(toPlainText)
  return strongestReason(tags.flatMap((tag) => (STATUS_ANYWHERE.test(tag) ? (findRefusal(tag) ?? []) : [])))
}
