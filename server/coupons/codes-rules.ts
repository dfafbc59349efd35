import type { Secrets } from '../core/secrets.ts'

// Personal codes (decisions 33 and 34): pure rules.

/** No letter or digit that is taken for another one, and no vowels, which make words. */
const ALPHABET = 'BCDFGHJKMNPQRSTVWXYZ34679'
const LENGTH = 8
const LONGEST_PREFIX = 40
const DEFAULT_PREFIX = 'CART'

export interface CodeKey {
  storeId: string
  messageId: string
  couponId: string
  /** What its codes begin with. */
  prefix: string
}

/** The same message has the same code; `derivation` counts those that were somebody else's. */
export function codeOf(secrets: Secrets, { storeId, messageId, couponId, prefix }: CodeKey, derivation = 0): string {
  const subject = `${storeId}:${messageId}:${couponId}${derivation === 0 ? '' : `:${derivation}`}`
  let letters = ''
  for (let round = 0; letters.length < LENGTH; round += 1) letters += lettersOf(secrets, `${subject}#${round}`)
  return `${prefixOf(prefix)}-${letters.slice(0, LENGTH)}`
}

/** Bytes beyond the last whole alphabet are dropped, or the first letters would be more likely than the others. */
function lettersOf(secrets: Secrets, subject: string): string {
  const fair = 256 - (256 % ALPHABET.length)
  return [...Buffer.from(secrets.token('coupon-code', subject), 'base64url')]
    .filter((byte) => byte < fair)
    .map((byte) => ALPHABET[byte % ALPHABET.length])
    .join('')
}

function prefixOf(prefix: string): string {
  const usable = prefix
    .toUpperCase()
    .replace(/[^A-Z0-9-]/g, '')
    .slice(0, LONGEST_PREFIX)
    .replace(/^-+|-+$/g, '')
  return usable === '' ? DEFAULT_PREFIX : usable
}
