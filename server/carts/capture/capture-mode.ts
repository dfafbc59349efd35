import { type CaptureMode, isStoringEverything } from '../../../shared/shoppers/capture-mode.ts'
import type { ConsentChannel } from '../../../shared/shoppers/consent.ts'
import { boxChannels } from '../../../shared/shoppers/consent-box.ts'
import type { ReceivedPost } from '../../core/schema/public.ts'

// Decides what of a post may be kept before the shopper consented (C9). The server enforces the mode, because an older
// plugin or a cached script may send more. Pure.

type Box = NonNullable<NonNullable<ReceivedPost['consent']>[ConsentChannel]>
/** Whether the ledger would record this tick. A tick beside outdated text is not a consent. */
type IsValidTick = (channel: ConsentChannel, box: Box) => boolean

interface ModeContext {
  countsTick: IsValidTick
  /**
   * Whether the email address belongs to a customer (`findCoveredCustomers`), who is treated as if the email box was
   * ticked.
   */
  isCovered?: boolean
  /** Channels of boxes ticked before, or to which a signed-in customer consented (`findConsentedChannels`). */
  earlierConsents?: readonly ConsentChannel[]
}

/**
 * Returns null if nothing may be kept. A withdrawal always passes, for the known addresses of the cart. A null mode is
 * that of stores older than the setting.
 */
export function applyMode(
  post: ReceivedPost,
  mode: CaptureMode | null,
  { countsTick, isCovered = false, earlierConsents = [] }: ModeContext,
): ReceivedPost | null {
  if (isStoringEverything(mode) || post.agreed) return post
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
  if (yes.length > 0) return { ...post, contact: selectContact(post.contact, yes) }
  if (mode === 'cart_only') return removeContact(post)
  if (boxes.every(({ box }) => box.isGiven)) return null
  const { cart, page, seq, consent } = post
  return { cart, page, seq, consent }
}

/** A box for SMS or WhatsApp does not release the email address, and an email box not the phone. */
function selectContact(contact: ReceivedPost['contact'], yes: readonly ConsentChannel[]): ReceivedPost['contact'] {
  const { email, phone, ...person } = contact ?? {}
  return {
    ...person,
    ...(yes.includes('email') && email !== undefined && { email }),
    ...(yes.some((channel) => channel !== 'email') && phone !== undefined && { phone }),
  }
}

/** Removes contact, device id, zone and the signed-in customer. */
function removeContact({ contact: _, device: __, zone: ___, ...post }: ReceivedPost): ReceivedPost {
  const signed = post.signed && { ...post.signed, customerId: null, state: null }
  return { ...post, ...(signed && { signed }) }
}

/** Mode for a script's setup. Omitted for the default, which scripts followed before the setting existed. */
export function buildModeSetup(store: { before_consent: CaptureMode | null } | null | undefined): {
  mode?: CaptureMode
} {
  const mode = store?.before_consent
  return mode && mode !== 'cart_and_contact' ? { mode } : {}
}
