// Classifies a receiver's refusal by its enhanced status code (RFC 3463) and text, in one table. Pure.

/**
 * - `hard`: the address is bad; it gets no further messages.
 * - `refused`: a permanent refusal for another reason than the address: policy, content, size, the sender.
 * - `soft`: a temporary problem of the receiver: full, unreachable, busy. The address stays valid.
 */
export type BounceKind = 'hard' | 'refused' | 'soft'

const ANY = /^/
const FULL =
  /(mailbox|inbox|account|quota|storage).{0,30}(full|exceed|insufficient)|over ?quota|insufficient (system )?storage/i
const NO_SUCH =
  /(user|recipient|mailbox|account|address|alias)\b.{0,40}\b(unknown|not (be )?found|disabled|inactive|unavailable|invalid|does(n.t| not) exist|rejected)|(no such|unknown|invalid|non-?existent) (user|recipient|mailbox|address|account|person|local)|no mailbox here|address (couldn.t|could not) be found|unrouteable address|not our customer|not a valid (mailbox|user|recipient)|does(n.t| not) have an? .{0,30}account|(benutzer|empf[aä]nger|adresse) unbekannt|(utilisateur|destinataire|adresse) inconnue?|(usuario|destinatario) (desconocido|sconosciuto|desconhecido)|utente sconosciuto/i
const NO_DOMAIN =
  /(host|domain)( or domain)?( name)?.{0,20}(not found|unknown|does(n.t| not) exist)|no (mx|such (host|domain))|nxdomain/i
const POLICY =
  /spam|\bblock(ed|ing|s)?\b|block ?list|deny ?list|blacklist|\bdenied|polic|reputation|relay|dmarc|\bspf\b|dkim|authenticat|content|virus|sender|banned|too (big|large)|size|not (permit|allow|accept)|may not send|unsolicited|complain/i
const TOO_MANY =
  /\b(at a|send(ing)?|receiv(ing|ed?)|message|connection) rate\b|rate (that|limit)|too (quickly|fast|many)|throttl|(hourly|daily|message|sending) (limit|quota)|limit (exceeded|reached)/i
/** Applies regardless of the first code: a relay repeats the other server's reply after its own code. */
const TEMPORARY = /\bgr[ea]y-?list|\btemporar(y|ily)\b|try (it )?again later|\bdeferred\b/i
/** The receiver's own policy code, repeated by a relay after another one. */
const POLICY_CODE = /(?<![\d.])5\.7\.\d{1,3}(?![\d]|\.\d)/

/**
 * The first matching row decides. Class 2 stands for a missing code. An address counts as bad only when the refusal
 * blames nothing else: servers without a better code use 5.1.0 or 5.2.0 for a blocked sender.
 */
const TABLE: readonly [code: RegExp, words: RegExp, kind: BounceKind][] = [
  [/^4\./, ANY, 'soft'],
  [ANY, FULL, 'soft'],
  [/^5\.2\.2$/, ANY, 'soft'],
  [/^5\.[0125]\.|^$/, TOO_MANY, 'soft'],
  [/^5\.[0125]\.|^$/, TEMPORARY, 'soft'],
  // the sender's system or address, or a relay that breaks the rules
  [/^5\.1\.[789]$/, ANY, 'refused'],
  [/^5\.[12]\./, POLICY_CODE, 'refused'],
  [/^5\.[12]\.0$/, POLICY, 'refused'],
  // size, mailing list
  [/^5\.2\.[34]$/, ANY, 'refused'],
  [/^5\.[12]\./, NO_SUCH, 'hard'],
  [/^5\.[12]\./, POLICY, 'refused'],
  [/^5\.[12]\./, ANY, 'hard'],
  [/^5\.4\.[14]$/, NO_SUCH, 'hard'],
  [/^5\.4\.[146]$/, NO_DOMAIN, 'hard'],
  [/^5\.4\./, ANY, 'refused'],
  [/^5\.[367]\./, ANY, 'refused'],
  [/^5\.[05]\./, POLICY, 'refused'],
  [/^5\.[05]\./, NO_SUCH, 'hard'],
  [/^5\.[05]\./, NO_DOMAIN, 'hard'],
  [/^5\./, ANY, 'refused'],
  [/^$/, POLICY, 'refused'],
  [/^$/, NO_SUCH, 'hard'],
  [/^$/, NO_DOMAIN, 'hard'],
]

/** `status`: `5.1.1`, or null where none was given. Anything unrecognised is `soft`. */
export function classifyBounce(status: string | null, response: string): BounceKind {
  const text = maskAddresses(response)
  return TABLE.find(([code, pattern]) => code.test(status ?? '') && pattern.test(text))?.[2] ?? 'soft'
}

/** Whether the text alone decides. */
export const isTextDecisive = (text: string): boolean =>
  TABLE.some(([code, pattern]) => pattern !== ANY && code.test('') && pattern.test(maskAddresses(text)))

/** Whether a refusal blames something other than the address. Text without a reason blames the address. */
export function isAddressBlameless(status: string | null, text: string): boolean {
  const ownCode = status ?? parseStatus(text)
  const precise = ownCode && !ownCode.endsWith('.0.0') ? ownCode : null
  return (precise !== null || isTextDecisive(text)) && classifyBounce(precise, text) !== 'hard'
}

/** The receiver would accept the mail later. */
export const isRateLimit = (text: string): boolean => TOO_MANY.test(maskAddresses(text))

/** The enhanced code in a server's text, or the class of its reply code; ignores numbers and IP addresses. */
export function parseStatus(text: string): string | null {
  const enhanced = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d]|\.\d)/.exec(text)
  if (enhanced) return `${enhanced[1]}.${Number(enhanced[2])}.${Number(enhanced[3])}`
  const reply = /(?:^|[\s;:(#])([45])\d\d(?=[\s-])/.exec(text)
  return reply ? `${reply[1]}.0.0` : null
}

/** A server that knows only "5.0.0" often repeats the receiver's own code after it. */
export function chooseStatus(ownCode: string | null, quotedCode: string | null): string | null {
  if (!ownCode || !quotedCode) return ownCode ?? quotedCode
  return /\.0\.0$/.test(ownCode) && ownCode[0] === quotedCode[0] ? quotedCode : ownCode
}

const ADDRESS = /[^\s<>"'()]{1,64}@[^\s<>"'()]{1,255}/g

/** Removes addresses, because an address may contain any word. */
const maskAddresses = (text: string): string => text.slice(0, 2_000).replace(ADDRESS, '…')

/** A receiver's text without addresses, as one bounded line. */
export const removeAddresses = (text: string): string => joinLines(text.replace(ADDRESS, '…'))

/** A server's reply as one bounded line, safe to log beside an id and to show. */
export function joinLines(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, 500)
}
