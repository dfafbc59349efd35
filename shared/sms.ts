// How long an SMS is as networks count it (3GPP TS 23.038): in the GSM alphabet of 7 bits if every sign is in it, else in UCS-2. Pure.

export interface SmsSize {
  encoding: 'GSM-7' | 'UCS-2'
  /** Septets or 16-bit units: what the limits count. A sign of the extension table, or one beyond the BMP, takes two. */
  units: number
  segments: number
  /** How many units the last segment still takes. */
  left: number
  /** The signs that make it UCS-2, each once, in their order. */
  culprits: string[]
}

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
/** Each is an escape and a sign: two septets, never parted by the end of a segment. */
const EXTENSION = '\f^{}\\[~]|€'

const unitsOf = new Map<string, number>([
  ...[...BASIC].map((sign): [string, number] => [sign, 1]),
  ...[...EXTENSION].map((sign): [string, number] => [sign, 2]),
])

/** Alone in a message, and in one of several: the header that joins them takes six bytes of each. */
const LIMITS = { 'GSM-7': { one: 160, many: 153 }, 'UCS-2': { one: 70, many: 67 } } as const

export function smsSize(text: string): SmsSize {
  const signs = [...text]
  const culprits = [...new Set(signs.filter((sign) => !unitsOf.has(sign)))]
  const encoding = culprits.length > 0 ? 'UCS-2' : 'GSM-7'
  const lengths = signs.map((sign) => (encoding === 'GSM-7' ? unitsOf.get(sign)! : sign.length))
  const units = lengths.reduce((sum, length) => sum + length, 0)
  const { one, many } = LIMITS[encoding]
  if (units <= one) return { encoding, units, segments: units === 0 ? 0 : 1, left: one - units, culprits }
  const { segments, used } = fill(lengths, many)
  return { encoding, units, segments, left: many - used, culprits }
}

/** A sign of two units is not parted: what does not fit begins the next segment. */
function fill(lengths: readonly number[], limit: number): { segments: number; used: number } {
  let segments = 1
  let used = 0
  for (const length of lengths) {
    if (used + length > limit) {
      segments += 1
      used = 0
    }
    used += length
  }
  return { segments, used }
}

/** What people type or paste without meaning to leave the alphabet. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '‚': ',',
  '‛': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '‹': '<',
  '›': '>',
  '–': '-',
  '—': '-',
  '―': '-',
  '−': '-',
  '‐': '-',
  '‑': '-',
  '…': '...',
  '•': '-',
  '·': '.',
  '\u00a0': ' ',
  '\u202f': ' ',
  '\u2009': ' ',
  '\t': ' ',
  '\u200b': '',
  '\ufeff': '',
  '´': "'",
  '`': "'",
  ç: 'Ç',
}

/**
 * The same in the GSM alphabet where one can say it there: quotes, dashes, spaces, and letters without their accent. What has no
 * counterpart (another script, an emoji) stays, and keeps the message UCS-2.
 */
export function toGsm(text: string): string {
  return [...text.normalize('NFC')].map(gsmOf).join('')
}

function gsmOf(sign: string): string {
  if (unitsOf.has(sign)) return sign
  const replacement = REPLACEMENTS[sign]
  if (replacement !== undefined) return replacement
  const [bare = ''] = [...sign.normalize('NFD')]
  return unitsOf.has(bare) ? bare : sign
}
