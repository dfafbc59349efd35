import type { StoreTx } from '../../core/db/db.ts'
import { buildAddressKey, type ShopperKey } from '../../shoppers/shoppers/rules.ts'
import { selectKeyOwners } from '../../shoppers/shoppers/shoppers.ts'
import type { CapturedCart, OrderLookup } from './captured-sql.ts'
import * as sql from './captured-sql.ts'
import { sameItems } from './compare.ts'
import type { NewFact } from './record.ts'

// Links orders to captured carts that share no key with them (S6, X5). The order may confirm a contact that was above
// a limit. Or the cart has no contact and holds the same lines as a draft from the same time.

/** Adds the keys of matching captured carts to the orders' facts. Repeat once these keys are locked. */
export async function addCapturedCarts(tx: StoreTx, facts: readonly NewFact[]): Promise<NewFact[]> {
  const lookups = facts.flatMap((fact, place) => buildLookup(fact, place) ?? [])
  if (lookups.length === 0) return [...facts]
  const confirmed = await sql.findCartsConfirmedBy(tx, lookups)
  const drafts = lookups.filter(({ place, isDraft }) => isDraft && !confirmed.has(place))
  const fitting = matchDrafts(facts, drafts.length > 0 ? await sql.findCartsLikeDrafts(tx, drafts) : new Map())
  return facts.map((fact, place) => {
    const carts = confirmed.get(place) ?? fitting.get(place) ?? []
    return carts.length > 0 ? { ...fact, keys: [...fact.keys, ...carts.map(cartKey)] } : fact
  })
}

/** Matches again under the locks. Keeps only carts found before, because only these are locked. */
export async function recheckCapturedCarts(
  tx: StoreTx,
  facts: readonly NewFact[],
  found: readonly NewFact[],
): Promise<NewFact[]> {
  if (facts.every((fact, place) => fact === found[place])) return [...facts]
  const again = await addCapturedCarts(tx, facts)
  return facts.map((fact, place) => {
    const isLocked = again[place]!.keys.every((key) => found[place]!.keys.some((each) => each.value === key.value))
    return isLocked ? again[place]! : fact
  })
}

/** Under the locks: drops posts that another worker has recorded since. Their shopper may be erased by now (C8). */
export async function dropRecordedPosts(tx: StoreTx, facts: readonly NewFact[]): Promise<readonly NewFact[]> {
  const ids = facts.flatMap(({ postId }) => postId ?? [])
  if (ids.length === 0) return facts
  const waiting = await sql.selectPostsInInbox(tx, ids)
  return facts.filter(({ postId }) => postId === undefined || waiting.has(postId))
}

/** Drops drafts without contact that belong to no known cart, while the capture script is active (S6). */
export async function dropLoneDrafts(tx: StoreTx, facts: readonly NewFact[]): Promise<NewFact[]> {
  const lone = facts.filter((fact) => fact.isPartOnly && !fact.keys.some((key) => key.kind === 'cart'))
  if (lone.length === 0) return [...facts]
  const owned = new Set(
    (
      await selectKeyOwners(
        tx,
        lone.flatMap((fact) => fact.keys),
      )
    ).map(({ kind, value }) => `${kind}:${value}`),
  )
  const isKnown = (fact: NewFact) => fact.keys.some(({ kind, value }) => owned.has(`${kind}:${value}`))
  return facts.filter((fact) => !lone.includes(fact) || isKnown(fact))
}

/** Contacts above a limit, as keys to lock. An erasure of the shopper takes the same locks. */
export const listUnconfirmedKeys = ({ payload }: NewFact): ShopperKey[] => {
  const contact = 'contact' in payload ? payload.contact : undefined
  return [contact?.unconfirmedEmail, contact?.unconfirmedPhone].flatMap((address) =>
    address ? [buildAddressKey(address)] : [],
  )
}

const cartKey = (value: string): ShopperKey => ({ kind: 'cart', value })

function buildLookup({ payload, keys, at, isNameless }: NewFact, place: number): OrderLookup | null {
  if (payload.type !== 'order' || payload.isStaff || isNameless) return null
  const { email, phone } = payload.contact
  const isDraft = payload.orderKind === 'draft' && payload.items.length > 0
  if (!email && !phone && !isDraft) return null
  return { place, email: email ?? null, phone: phone ?? null, at: at.toISOString(), isDraft, keys }
}

/** Finds the only cart that fits each draft. Ambiguous matches, in either direction, are dropped. */
function matchDrafts(
  facts: readonly NewFact[],
  candidates: ReadonlyMap<number, CapturedCart[]>,
): Map<number, string[]> {
  const found = new Map<number, string>()
  const ordersOf = new Map<string, Set<string>>()
  for (const [place, carts] of candidates) {
    const { payload } = facts[place]!
    if (payload.type !== 'order') continue
    const [cart, ...others] = carts.filter((each) => fits(payload, each))
    if (!cart || others.length > 0) continue
    found.set(place, cart.token)
    ordersOf.set(cart.token, (ordersOf.get(cart.token) ?? new Set()).add(payload.orderId))
  }
  return new Map([...found].flatMap(([place, token]) => (ordersOf.get(token)!.size === 1 ? [[place, [token]]] : [])))
}

type OrderPayload = Extract<NewFact['payload'], { type: 'order' }>

function fits({ items, contact }: OrderPayload, cart: CapturedCart): boolean {
  const { unconfirmedEmail, unconfirmedPhone } = cart.contact
  const isDifferent = (a: string | undefined, b: string | undefined) => a && b && a !== b
  if (isDifferent(unconfirmedEmail, contact.email) || isDifferent(unconfirmedPhone, contact.phone)) return false
  return sameItems(items, cart.items)
}
