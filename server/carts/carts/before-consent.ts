import { isStoringEverything } from '../../../shared/shoppers/capture-mode.ts'
import type { StoreRow } from '../../access/stores/public.ts'
import { type Db, type StoreDb, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { PlatformCheckout, PlatformOrder } from '../../platforms/platform/public.ts'
import { findCoveredCustomers } from '../../shoppers/consent/public.ts'
import {
  buildContactKeys,
  listTokenKeys,
  type ShopperKey,
  selectKeyOwners,
  selectMatchedEmails,
} from '../../shoppers/shoppers/public.ts'

// Limits what Recoup copies from the store about people who neither bought nor consented. Drafts, unpaid orders and
// checkouts hold contacts that were only typed; `before_consent` decides which of these are kept (C9).

interface StoreRules {
  handle: StoreDb<Db>
  store: StoreRow
}

/** Removes what the mode forbids. A placed order keeps an address we know, so that no reminder follows the order. */
export async function filterOrders(
  deps: Pick<Deps, 'secrets'>,
  { handle, store }: StoreRules,
  orders: readonly PlatformOrder[],
  cartsOf: ReadonlyMap<string, string>,
): Promise<PlatformOrder[]> {
  const unpaid = orders.filter((order) => order.kind !== 'purchase' && !order.paidAt)
  if (isStoringEverything(store.before_consent) || unpaid.length === 0) return [...orders]
  const host = new URL(store.home_url).hostname
  const ownKeys = (order: PlatformOrder): ShopperKey[] => {
    const cartToken = cartsOf.get(order.orderId) ?? order.cartToken ?? null
    return [{ kind: 'order', value: order.orderId }, ...listTokenKeys({ ...order, cartToken })]
  }
  const covered = store.before_consent === 'cart_only' ? await findCoveredCustomers(deps, handle, unpaid) : new Set()
  const isKnown = await findKnownKeys(
    handle,
    unpaid.flatMap((order) => [...ownKeys(order), ...listContactKeys(order, host)]),
  )
  return orders.flatMap((order) => {
    if (!unpaid.includes(order)) return [order]
    const isAgreed = (channel: string) => order.consents?.some((each) => each.channel === channel) ?? false
    const isPlaced = order.kind !== 'draft'
    const keeps = (kind: ShopperKey['kind']) =>
      isPlaced && listContactKeys(order, host).some((key) => key.kind === kind && isKnown(key))
    const email = isAgreed('email') || covered.has(order) || keeps('email')
    const phone = isAgreed('sms') || isAgreed('whatsapp') || keeps('phone')
    const customerId = keeps('customer')
    const isCovered = email || phone || customerId || ownKeys(order).some(isKnown)
    if (store.before_consent === 'nothing' && !isCovered) return []
    const isNameless = Boolean(order.email || order.phone) && !email && !phone
    return [{ ...withContact(order, { email, phone, customerId }), ...(isNameless && { isNameless }) }]
  })
}

/** Removes what the mode forbids. A completed checkout still ends its cart. */
export async function filterCheckouts(
  deps: Pick<Deps, 'secrets'>,
  { handle, store }: StoreRules,
  checkouts: readonly PlatformCheckout[],
): Promise<PlatformCheckout[]> {
  if (isStoringEverything(store.before_consent)) return [...checkouts]
  const covered = store.before_consent === 'cart_only' ? await findCoveredCustomers(deps, handle, checkouts) : new Set()
  const isKnown = await findKnownKeys(handle, checkouts.flatMap(listTokenKeys))
  return checkouts.flatMap((checkout) => {
    const isAgreed = (channel: string) =>
      checkout.consents.some((each) => each.channel === channel && each.state === 'granted')
    const email = isAgreed('email') || covered.has(checkout)
    const phone = isAgreed('sms') || isAgreed('whatsapp')
    if (store.before_consent === 'nothing' && !email && !phone && !listTokenKeys(checkout).some(isKnown)) return []
    return [withContact(checkout, { email, phone, customerId: false })]
  })
}

/** Whether to keep a cart from the store that has no contact and matches no cart of ours. */
export const keepsUnknownCarts = ({ before_consent: mode }: StoreRow): boolean => mode !== 'nothing'

type ContactFields = Pick<
  PlatformOrder,
  'email' | 'phone' | 'firstName' | 'lastName' | 'customerId' | 'country' | 'state' | 'locale'
>

function withContact<Of extends ContactFields>(
  of: Of,
  keeps: { email: boolean; phone: boolean; customerId: boolean },
): Of {
  const isNamed = keeps.email || keeps.phone
  return {
    ...of,
    email: keeps.email ? of.email : null,
    phone: keeps.phone ? of.phone : null,
    customerId: isNamed || keeps.customerId ? of.customerId : null,
    ...(!isNamed && { firstName: null, lastName: null, country: null, state: null, locale: null }),
  }
}

const listContactKeys = ({ email, phone, customerId }: PlatformOrder, host: string): ShopperKey[] =>
  buildContactKeys({ ...(email && { email }), ...(phone && { phone }), ...(customerId && { customerId }) }, host)

async function findKnownKeys(store: StoreDb<Db>, keys: readonly ShopperKey[]): Promise<(key: ShopperKey) => boolean> {
  if (keys.length === 0) return () => false
  const emails = keys.flatMap(({ kind, value }) => (kind === 'email' ? [value] : []))
  const { owners, matched } = await transact(store, async (tx) => ({
    owners: await selectKeyOwners(tx, keys),
    // One mailbox can have several spellings (Identity).
    matched: emails.length > 0 ? await selectMatchedEmails(tx, emails) : [],
  }))
  const known = new Set([
    ...owners.map(({ kind, value }) => `${kind}:${value}`),
    ...matched.map(({ wanted: email }) => `email:${email}`),
  ])
  return ({ kind, value }) => known.has(`${kind}:${value}`)
}
