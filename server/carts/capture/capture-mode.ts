import { type CaptureMode, keepsAll } from '../../../shared/capture-mode.ts'
import type { ConsentChannel } from '../../../shared/consent.ts'
import { boxChannels } from '../../../shared/consent-box.ts'
import type { PlacedPost } from '../../core/schema/facts.ts'

// What of a post may be kept before the shopper agreed to anything (C9). The server holds to it whatever an older plugin or a script from
// a cache sends. Pure.

type Box = NonNullable<NonNullable<PlacedPost['consent']>[ConsentChannel]>
/** Whether the ledger would take this tick: one beside outdated words is no yes. */
type CountsTick = (channel: ConsentChannel, box: Box) => boolean

interface Known {
  countsTick: CountsTick
  /** Whether the email address is that of a customer (`coveredCustomers`): kept as by a box for emails. */
  isCovered?: boolean
  /** The channels of boxes ticked before, or that a customer who is signed in to the shop agreed to (`agreedChannels`). */
  earlierConsents?: readonly ConsentChannel[]
}

/** null: nothing of it. A no is always heard, for the addresses its cart is known to have. A null mode is that of stores older than the setting. */
export function withinMode(
  post: PlacedPost,
  mode: CaptureMode | null,
  { countsTick, isCovered = false, earlierConsents = [] }: Known,
): PlacedPost | null {
  if (keepsAll(mode) || post.agreed) return post
  const boxes = boxChannels.flatMap((channel) => {
    const box = post.consent?.[channel]
    return box ? [{ channel, box }] : []
  })
  const no = boxes.filter(({ box }) => !box.isGiven).map(({ channel }) => channel)
  const ticked = boxes.filter(({ channel, box }) => box.isGiven && countsTick(channel, box))
  const yes = [
    ...ticked.map(({ channel }) => channel),
    ...earlierConsents.filter((channel) => !no.includes(channel)),
    ...(isCovered && !no.includes('email') ? (['email'] as const) : []),
  ]
  if (yes.length > 0) return { ...post, contact: contactFor(post.contact, yes) }
  if (mode === 'cart_only') return withoutContact(post)
  if (boxes.every(({ box }) => box.isGiven)) return null
  const { cart, page, seq, consent } = post
  return { cart, page, seq, consent }
}

/** A box for texts says nothing of the email address, and the other way round. */
function contactFor(contact: PlacedPost['contact'], yes: readonly ConsentChannel[]): PlacedPost['contact'] {
  const { email, phone, ...person } = contact ?? {}
  return {
    ...person,
    ...(yes.includes('email') && email !== undefined && { email }),
    ...(yes.some((channel) => channel !== 'email') && phone !== undefined && { phone }),
  }
}

/** Nor a lasting id of the browser, nor where it is, nor who is signed in to the shop. */
function withoutContact({ contact: _, device: __, zone: ___, ...post }: PlacedPost): PlacedPost {
  const signed = post.signed && { ...post.signed, customerId: null, state: null }
  return { ...post, ...(signed && { signed }) }
}

/** For a script's setup. Nothing is said where it is what scripts did before they knew of it. */
export function modeOf(store: { before_consent: CaptureMode | null } | null | undefined): { mode?: CaptureMode } {
  const mode = store?.before_consent
  return mode && mode !== 'cart_and_contact' ? { mode } : {}
}
