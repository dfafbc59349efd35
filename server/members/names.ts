import { LinkifyIt } from 'linkify-it'
import tlds from 'tlds' with { type: 'json' }
import { AppError } from '../core/errors.ts'

// Names people give stand in our mails to others, and mail programs make links of what looks like an address. Pure.

const links = new LinkifyIt().set({ fuzzyLink: true, fuzzyEmail: true, fuzzyIP: true }).tlds(tlds)

export const NAME_WITH_ADDRESS = 'A name cannot contain a web or email address'

/** `ownHost`: a shop may be called by its own address. */
export function hasAddress(name: string, ownHost?: string): boolean {
  const found = spellings(name).flatMap((each) => links.match(each) ?? [])
  return found.some((each) => ownHost === undefined || bare(each.text) !== bare(ownHost))
}

/**
 * As mail programs may read it: wide letters and dots are narrow ones, and what is not seen, or is neither letter nor sign of an address,
 * joins two words or parts them.
 */
function spellings(name: string): string[] {
  const narrow = name.normalize('NFKC').replace(/[\u3002\uff61]/g, '.')
  return ['', ' '].map((gap) => narrow.replace(/\p{Cf}/gu, gap).replace(/[^\p{L}\p{M}\p{N}\x21-\x7e]/gu, ' '))
}

/** Throws `invalid` at `field`. */
export function assertPlainName(name: string, field: string, ownHost?: string): void {
  if (!hasAddress(name, ownHost)) return
  throw new AppError('invalid', NAME_WITH_ADDRESS, { fields: { [field]: NAME_WITH_ADDRESS } })
}

const bare = (host: string) => host.toLowerCase().replace(/^www\./, '')
