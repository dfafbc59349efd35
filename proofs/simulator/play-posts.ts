import { admitPost, type CaptureStore, recordCapture } from '../../server/carts/capture/capture.ts'
import { foldStorePosts } from '../../server/carts/capture/capture-intake.ts'
import { dropUnusable } from '../../server/carts/capture/capture-rules.ts'
import { CLIENT_LIMITS } from '../../server/carts/capture/contact-limits.ts'
import { createId } from '../../server/core/common/ids.ts'
import { tryTakePoint } from '../../server/core/db/rate-limits.ts'
import { insertPosts } from '../../server/core/db/system.ts'
import type { ReceivedPost } from '../../server/core/schema/facts.ts'
import type { CapturePost } from '../../shared/carts/capture.ts'
import { buildConsentBox } from '../../test/consent-boxes.ts'
import type { ActOf, Harness } from './harness.ts'
import { listNumbers } from './people.ts'
import { buildSentPost, expectContact, OUTDATED_WORDING_ID, recordAllowedPost } from './play-modes.ts'
import { recordContents } from './play-push.ts'
import { buildVariantId } from './shop-shopify.ts'
import type { Consent } from './steps.ts'

// Posts of browsers over a network that loses, duplicates and reorders them, and what is known after they arrive.

type Kind = 'post' | 'new visit' | 'late posts arrive'
type Players = { [Each in Kind]: (harness: Harness, act: ActOf<Each>) => Promise<unknown> }

export const postPlayers: Players = {
  async post(harness, act) {
    const post = buildSentPost(harness, act, buildNextPost(harness, act))
    if (!post || act.network === 'lost') return
    if (act.network === 'late') {
      harness.latePosts.push(post)
      return
    }
    const isOpen = await deliverPost(harness, post, act.network === 'left')
    if (act.network === 'now') await expectContact(harness, post, isOpen)
    if (act.network === 'twice') await deliverPost(harness, post)
  },
  async 'new visit'(harness, { browser }) {
    harness.browsers[browser]!.visit += 1
  },
  async 'late posts arrive'(harness, { isReversed }) {
    const late = harness.latePosts.splice(0)
    for (const post of isReversed ? late.reverse() : late) await deliverPost(harness, post)
  },
}

function buildNextPost(harness: Harness, act: ActOf<'post'>): CapturePost {
  const browser = harness.browsers[act.browser]!
  if (act.isNewPage || browser.seq < 0) {
    browser.page += 1
    browser.seq = -1
  }
  browser.seq += 1
  recordContents(harness, act)
  const { visit, page, seq } = browser
  return {
    cart: `cart-of-browser-${act.browser}-visit-${visit}`,
    device: `device-of-browser-${act.browser}`,
    page: `page-${act.browser}-${page}`,
    seq,
    ...(act.items
      ? {
          items: act.items.map(([id, quantity]) => ({ id: buildProductId(harness, id), quantity })),
          coupons: [...act.coupons],
        }
      : {}),
    ...(act.contact ? { contact: act.contact } : {}),
    ...(act.consent === null ? {} : { consent: buildConsent(act.consent, act.isOutdated) }),
  }
}

/** Product id in a browser's post; shops with variants use the variant's id. */
const buildProductId = ({ shopify }: Harness, id: string): string => (shopify ? buildVariantId(id) : id)

function buildConsent(consent: Consent, isOutdated = false): NonNullable<CapturePost['consent']> {
  const boxes = (['email', 'sms', 'whatsapp'] as const).flatMap((channel) => {
    const isGiven = consent[channel]
    return isGiven === undefined
      ? []
      : [[channel, { ...buildConsentBox(channel, isGiven), ...(isOutdated && { id: OUTDATED_WORDING_ID }) }]]
  })
  return Object.fromEntries(boxes)
}

/** Handles a post as the intake does: counts its contacts, stores it, replies. */
async function keep(
  { web: { deps } }: Harness,
  store: CaptureStore,
  post: ReceivedPost,
  client: string,
): Promise<void> {
  const admitted = await admitPost(deps, store, post, client)
  await insertPosts(deps.db, [{ store_id: store.id, id: createId(), received_at: deps.now(), post: admitted }])
}

/** `isLeft`: the process ended between its reply and processing. Returns whether all of its contact counts. */
async function deliverPost(harness: Harness, post: CapturePost, isInterrupted = false): Promise<boolean> {
  const { fixture, web, clock } = harness
  const store = { id: fixture.storeId, url: fixture.homeUrl, home_url: fixture.homeUrl }
  const isCrowded = harness.arrivals++ % 4 === 3
  const client = isCrowded ? await fillClientLimit(harness) : `client-${clock.trueNow()}-${harness.arrivals}`
  const { counted, placed } = await recordAllowedPost(harness, post)
  const isOfCart = recordContacts(harness, counted, isCrowded)
  if (Object.values(post.consent ?? {}).some((box) => !box?.isGiven))
    await foldStorePosts(web.deps, { storeId: fixture.storeId, db: web.deps.db })
  if (placed?.consent) await recordCapture(web.deps, store, placed, client)
  else if (placed) await keep(harness, store, dropUnusable(placed), client)
  if (!isInterrupted) await foldStorePosts(web.deps, { storeId: fixture.storeId, db: web.deps.db })
  recordConsent(harness, counted, isOfCart)
  return !isInterrupted && !isCrowded
}

/** Returns a client that has used up its hourly limit on new contacts; other clients have limits of their own. */
async function fillClientLimit(harness: Harness): Promise<string> {
  const subject = `${harness.fixture.storeId}\0crowd`
  const takes = harness.isCrowdFull ? [] : Object.values(CLIENT_LIMITS)
  harness.isCrowdFull = true
  for (const limit of takes) for (let i = 0; i < limit.points; i++) await tryTakePoint(harness.web.deps, limit, subject)
  return 'crowd'
}

/**
 * A refusal on a page counts for contacts that an earlier post of the same cart named within the limits, and that
 * neither another browser nor the shop has named.
 */
function recordContacts(
  harness: Harness,
  { cart, contact }: CapturePost,
  isCrowded: boolean,
): (address: string) => boolean {
  const { contacts, refused, usable } = harness
  const before = new Set(contacts.get(cart))
  const named = [contact?.email, contact?.phone].flatMap((each) => (each ? listNumbers(each)[0]! : []))
  const open = new Set(refused.get(cart))
  if (isCrowded) refused.set(cart, new Set([...open, ...named.filter((address) => !before.has(address))]))
  else {
    for (const address of named) usable.add(address)
    contacts.set(cart, new Set([...before, ...named.filter((address) => !open.has(address))]))
  }
  return (address) => !isCrowded && before.has(address) && isNamedByItAlone(harness, cart)
}

/** Always false on Shopify, which names addresses in more ways than this counts. */
function isNamedByItAlone({ contacts, refused, shop, shopify, plugin, resubscribed }: Harness, cart: string): boolean {
  if (shopify) return false
  const findBrowser = (token: string) => token.replace(/-visit-.*/, '')
  const all = [...contacts, ...refused]
  const isMine = ([token]: (typeof all)[number]) => findBrowser(token) === findBrowser(cart)
  const mine = new Set(all.filter(isMine).flatMap(([, addresses]) => [...addresses]))
  const ofOthers = all.filter((each) => !isMine(each)).flatMap(([, addresses]) => [...addresses])
  const ofOrders = shop.versions.flatMap(({ order }) => [order.email, order.phone])
  const ofPlugin = [...(plugin?.queue.values() ?? []), ...(plugin?.acknowledged.values() ?? [])].flatMap(({ entry }) =>
    Object.values((entry.contact ?? {}) as Record<string, string>),
  )
  const elsewhere = [...ofOthers, ...ofOrders, ...ofPlugin, ...resubscribed]
  return !elsewhere.some((address) => address && mine.has(listNumbers(address)[0] ?? address))
}

/** Records the shop's consent boxes after the commit. */
function recordConsent(
  { withdrawn, consented, clock }: Harness,
  { consent, contact }: CapturePost,
  isOfCart: (address: string) => boolean,
): void {
  const boxes = { email: consent?.email?.isGiven, sms: consent?.sms?.isGiven, whatsapp: consent?.whatsapp?.isGiven }
  for (const [channel, isGiven] of Object.entries(boxes)) {
    if (isGiven === undefined) continue
    const address = channel === 'email' ? contact?.email : contact?.phone && listNumbers(contact.phone)[0]
    if (address && !isGiven && isOfCart(address)) withdrawn.set(`${channel}:${address}`, clock.trueNow())
    if (!isGiven) continue
    consented.add(`${channel}:${address ?? '*'}`)
    // Without an address it applies to the one typed before, which is not known here.
    for (const key of withdrawn.keys())
      if (key === `${channel}:${address}` || (!address && key.startsWith(`${channel}:`))) withdrawn.delete(key)
  }
}
