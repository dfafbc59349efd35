import { limitPostToMode } from '../../server/carts/capture/capture.ts'
import type { ReceivedPost } from '../../server/core/schema/facts.ts'
import type { CapturePost } from '../../shared/carts/capture.ts'
import { findMailbox } from './aliases.ts'
import type { ActOf, Harness } from './harness.ts'
import { listNumbers } from './people.ts'
import type { OrderVersion } from './shop.ts'

// What a store's capture mode allows (C9), written independently: which parts of each post, report and order may be
// stored.

export interface ModeState {
  /** By fact key of posts and reports; without an entry nothing may be stored. */
  posts: Map<string, AllowedIdentity>
  /** Orders that may have a row. */
  orders: Set<string>
  /** Mailboxes and numbers that an allowed post or an order named. */
  named: Set<string>
  /** Someone has refused consent; the scenario does not know who. */
  hasRefusal: boolean
  faults: string[]
}

export interface AllowedIdentity {
  email: boolean
  phone: boolean
  /** The browser's lasting id and its location. */
  browser: boolean
}

const ALL: AllowedIdentity = { email: true, phone: true, browser: true }

export const createModeState = (): ModeState => ({
  posts: new Map(),
  orders: new Set(),
  named: new Set(),
  hasRefusal: false,
  faults: [],
})

export const modePlayers = {
  async banner({ browsers }: Harness, { browser, answer }: ActOf<'banner'>) {
    browsers[browser]!.banner = answer
  },
}

/** Builds the post that the current script sends; null: it sends none. */
export function buildSentPost(harness: Harness, act: ActOf<'post'>, post: CapturePost): CapturePost | null {
  const mode = harness.scenario.beforeConsent
  if (mode === null || act.isCached) return post
  const { banner } = harness.browsers[act.browser]!
  if (banner === 'yes') return { ...post, agreed: true }
  if (banner !== 'no' && mode === 'cart_and_contact') return post
  const { contact, device: _, ...rest } = post
  const { email, phone } = banner === 'no' ? NOTHING : readBoxes(post)
  if (email || phone) {
    const fields = { ...(email && { email: contact?.email }), ...(phone && { phone: contact?.phone }) }
    return { ...rest, contact: fields } as CapturePost
  }
  if (banner !== 'no' && mode === 'cart_only') return rest
  const { cart, page, seq, consent } = post
  return hasRefusedBox(post) ? { cart, page, seq, consent } : null
}

const NOTHING = { email: false, phone: false }

const readBoxes = ({ consent }: CapturePost) => ({
  email: consent?.email?.isGiven === true,
  phone: consent?.sms?.isGiven === true || consent?.whatsapp?.isGiven === true,
})

const hasRefusedBox = ({ consent = {} }: CapturePost) => Object.values(consent).some((box) => box && !box.isGiven)

/** Id of a consent text that the store no longer uses. */
export const OUTDATED_WORDING_ID = 'w-of-last-year'

/** What may be stored of a post; null: nothing except a refusal. */
function findAllowedIdentity({ scenario }: Harness, post: CapturePost): AllowedIdentity | null {
  const mode = scenario.beforeConsent
  if (mode === null || mode === 'cart_and_contact' || post.agreed) return ALL
  const { email, phone } = readBoxes(dropOutdated(post))
  if (email || phone) return { email, phone, browser: true }
  return mode === 'cart_only' ? { ...NOTHING, browser: false } : null
}

function dropOutdated(post: CapturePost): CapturePost {
  const boxes = Object.entries(post.consent ?? {}).filter(
    ([, box]) => !(box?.isGiven && box.id === OUTDATED_WORDING_ID),
  )
  return { ...post, consent: boxes.length > 0 ? Object.fromEntries(boxes) : undefined }
}

/** Location of a browser without consent, which must not be stored. */
const ZONE = { city: 'Paris', region: 'Paris', country: 'FR', timezone: 'Europe/Paris' }

/** `counted`: the parts of the post that count. `placed`: what the engine accepts. */
export async function recordAllowedPost(
  harness: Harness,
  post: CapturePost,
): Promise<{ counted: CapturePost; placed: ReceivedPost | null }> {
  const { modes, fixture, scenario, web } = harness
  if (!modes) return { counted: post, placed: post }
  const allowed = findAllowedIdentity(harness, post)
  const counted = dropOutdated({ ...post, contact: allowed ? filterContact(post.contact, allowed) : undefined })
  if (hasRefusedBox(post)) modes.hasRefusal = true
  if (allowed) modes.posts.set(`capture:${post.cart}:${post.page}:${post.seq}`, allowed)
  for (const address of [counted.contact?.email, counted.contact?.phone]) recordNamed(modes, address)
  const store = { id: fixture.storeId, before_consent: scenario.beforeConsent }
  const placed = await limitPostToMode(web.deps, store, { ...post, ...(!allowed?.browser && { zone: ZONE }) })
  return { counted, placed }
}

function filterContact(contact: CapturePost['contact'], { email, phone }: AllowedIdentity): CapturePost['contact'] {
  const { email: typed, phone: number, ...rest } = contact ?? {}
  return { ...rest, ...(email && typed && { email: typed }), ...(phone && number && { phone: number }) }
}

const normalizeAddress = (address: string): string => findMailbox(listNumbers(address)[0]!)

function recordNamed({ named }: ModeState, address: string | null | undefined): void {
  if (address) named.add(normalizeAddress(address))
}

export const isNamed = ({ named }: ModeState, address: string): boolean => named.has(normalizeAddress(address))

/** A purchase or a ticked checkout box identifies the shopper; an unplaced order identifies no one. */
export function recordOrderContact({ modes, scenario }: Harness, { order }: OrderVersion): void {
  if (!modes) return
  const isSold = scenario.beforeConsent === 'cart_and_contact' || order.kind === 'purchase' || order.paidAt !== null
  const yes = (order.consents ?? []).map(({ channel }) => channel)
  if (isSold || yes.includes('email')) recordNamed(modes, order.email)
  if (isSold || yes.includes('sms') || yes.includes('whatsapp')) recordNamed(modes, order.phone)
  if (isSold || yes.length > 0 || order.kind !== 'draft') modes.orders.add(order.orderId)
}

/** With consent the contact is stored at once, and the cart has it unless another possible person was named. */
export async function expectContact(harness: Harness, post: CapturePost, isOpen: boolean): Promise<void> {
  const { modes, fixture, environment, people, erased, hasJumped, isDisconnected } = harness
  const email = post.contact?.email
  const isUsual = isOpen && !isRefused(harness, email) && !hasJumped && !isDisconnected && erased.size === 0
  if (!modes || !isUsual || !email || !post.items?.length || !findAllowedIdentity(harness, post)?.email) return
  const person = people.find((each) => each.email === findMailbox(email))
  const isAlone = [...modes.named].every((each) => each === person?.email || person?.phones.includes(each))
  const { rows } = await environment.pool.query<{ isStored: boolean; isInCart: boolean }>(
    `select exists (select 1 from facts where store_id = $1 and payload ->> 'type' <> 'order' and payload #>> '{contact,email}' = $2) as "isStored",
      exists (select 1 from carts where store_id = $1 and email = $2) as "isInCart"`,
    [fixture.storeId, email],
  )
  const { isStored, isInCart } = rows[0]!
  if (!isStored) modes.faults.push(`a person consented, but their address ${email} is not stored`)
  else if (isAlone && !isInCart) modes.faults.push(`a person consented, but no cart has their address ${email}`)
}

/** A contact above the limits is not used, also in later posts (X5). */
const isRefused = ({ refused }: Harness, email: string | undefined): boolean =>
  email !== undefined && [...refused.values()].some((addresses) => addresses.has(email))

interface Reported {
  contact?: { email?: string; country?: string }
  customer?: { id: string }
  agreed?: true
}

/** For the plugin's report. `isOwed`: its customer's address has to be stored once the shop's orders are read. */
export async function recordPluginReport(harness: Harness, key: string, { contact, customer, agreed }: Reported) {
  const { modes, scenario, shop, environment, fixture } = harness
  const mode = scenario.beforeConsent
  if (!modes || mode === null) return { isOwed: false }
  const email = contact?.email
  const isFree = mode === 'cart_and_contact' || agreed === true
  const isOwnOrder = shop.versions.some(
    ({ order }) => order.kind === 'purchase' && order.customerId === customer?.id && order.email === email,
  )
  const isCovered =
    mode === 'cart_only' && email !== undefined && isOwnOrder && isSoft(contact?.country) && !hasRefused(harness, email)
  const hasAgreed = email !== undefined && hasAgreedBefore(harness, email, customer?.id)
  if (isFree) modes.posts.set(key, ALL)
  else if (hasAgreed || mode === 'cart_only')
    modes.posts.set(key, { email: isCovered || hasAgreed, phone: false, browser: isCovered || hasAgreed })
  if (isFree) recordNamed(modes, email)
  if (isRefused(harness, email) || harness.erased.size > 0) return { isOwed: false }
  if (isFree) return { isOwed: Boolean(email) }
  if (!isCovered || modes.hasRefusal || harness.unsubscribed.size > 0) return { isOwed: false }
  const { rows } = await environment.pool.query(
    'select 1 from orders where store_id = $1 and customer_id = $2 and email = $3 and purchased_at is not null limit 1',
    [fixture.storeId, customer?.id, email],
  )
  return { isOwed: rows.length > 0 }
}

/** Consented for an address used in a purchase, or at checkout while signed in. */
function hasAgreedBefore(harness: Harness, email: string, customerId: string | undefined): boolean {
  const { shop, consented } = harness
  const isOwnOrder = shop.versions.some(
    ({ order }) =>
      order.customerId === customerId &&
      order.email === email &&
      (order.kind === 'purchase' || order.consents?.some(({ channel }) => channel === 'email')),
  )
  const hasConsented = consented.has(`email:${email}`) || consented.has('email:*')
  return customerId !== undefined && isOwnOrder && hasConsented && !hasRefused(harness, email)
}

/** No later refusal, as far as its address is known. */
const hasRefused = ({ withdrawn, unsubscribed, consented }: Harness, email: string): boolean =>
  withdrawn.has(`email:${email}`) ||
  (unsubscribed.has(`email:${email}`) && !consented.has(`email:${email}`) && !consented.has('email:*'))

/** Countries in which customers may be mailed without consent. */
const isSoft = (country: string | undefined): boolean => ['US', 'DE', 'GB', 'AU'].includes(country ?? '')
