// Computes the length of an SMS by 3GPP TS 23.038: the 7-bit GSM alphabet if it has every character, otherwise UCS-2.
// Pure.

export interface SmsSize {
  encoding: 'GSM-7' | 'UCS-2'
  /** Septets or 16-bit units. Characters of the extension table or beyond the BMP take two. */
  units: number
  segments: number
  /** Units left in the last segment. */
  remaining: number
  /** The characters that require UCS-2, each once, in order. */
  culprits: string[]
}

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
/** Each is an escape plus a character: two septets in one segment. */
const EXTENSION = '\f^{}\\[~]|€'

const unitsOf = new Map<string, number>([
  ...[...BASIC].map((sign): [string, number] => [sign, 1]),
  ...[...EXTENSION].map((sign): [string, number] => [sign, 2]),
])

/** For a single segment, and for one of several: their header takes six bytes each. */
const LIMITS = { 'GSM-7': { one: 160, many: 153 }, 'UCS-2': { one: 70, many: 67 } } as const

export function measureSms(text: string): SmsSize {
  const signs = [...text]
  const culprits = [...new Set(signs.filter((sign) => !unitsOf.has(sign)))]
  const encoding = culprits.length > 0 ? 'UCS-2' : 'GSM-7'
  const lengths = signs.map((sign) => (encoding === 'GSM-7' ? unitsOf.get(sign)! : sign.length))
  const units = lengths.reduce((sum, length) => sum + length, 0)
  const { one, many } = LIMITS[encoding]
  if (units <= one) return { encoding, units, segments: units === 0 ? 0 : 1, remaining: one - units, culprits }
  const { segments, used } = fill(lengths, many)
  return { encoding, units, segments, remaining: many - used, culprits }
}

/** A character of two units is never split: it moves to the next segment. */
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

/** Characters that people type or paste without noticing. */
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
 * Replaces quotes, dashes, spaces and accented letters by GSM characters. Characters without a counterpart (other
 * scripts, emoji) stay and keep the message UCS-2.
 */
export function toGsm(text: string): string {
  return [...text.normalize('NFC')].map(findGsmSign).join('')
}

function findGsmSign(sign: string): string {
  if (unitsOf.has(sign)) return sign
  const replacement = REPLACEMENTS[sign]
  if (replacement !== undefined) return replacement
  const [bare = ''] = [...sign.normalize('NFD')]
  return unitsOf.has(bare) ? bare : sign
}
