import { type StoreTx, sql } from '../../core/db/public.ts'
import type { Contact, FoldItem } from '../../core/schema/public.ts'
import { buildAddressKey, type ShopperKey, selectKeyOwners } from '../../shoppers/shoppers/public.ts'
import { hasSameItems } from './compare.ts'
import type { NewFact } from './record.ts'

// Links orders to captured carts that share no key with them (S6, X5). The order may confirm a contact that was above
// a limit. Or the cart has no contact and holds the same lines as a draft from the same time.

/** Adds the keys of matching captured carts to the orders' facts. Repeat once these keys are locked. */
export async function addCapturedCarts(tx: StoreTx, facts: readonly NewFact[]): Promise<NewFact[]> {
  const lookups = facts.flatMap((fact, place) => buildLookup(fact, place) ?? [])
  if (lookups.length === 0) return [...facts]
  const confirmed = await findCartsConfirmedBy(tx, lookups)
  const drafts = lookups.filter(({ place, isDraft }) => isDraft && !confirmed.has(place))
  const fitting = matchDrafts(facts, drafts.length > 0 ? await findCartsLikeDrafts(tx, drafts) : new Map())
  return facts.map((fact, place) => {
    const carts = confirmed.get(place) ?? fitting.get(place) ?? []
    return carts.length > 0 ? { ...fact, keys: [...fact.keys, ...carts.map(buildCartKey)] } : fact
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
  const waiting = await selectPostsInInbox(tx, ids)
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

const buildCartKey = (value: string): ShopperKey => ({ kind: 'cart', value })

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
  return hasSameItems(items, cart.items)
}

interface OrderLookup {
  /** Index of the order in the caller's list. */
  place: number
  email: string | null
  phone: string | null
  at: string
  isDraft: boolean
  keys: readonly ShopperKey[]
}

interface CapturedCart {
  token: string
  items: FoldItem[]
  contact: Contact
}

/** Returns those of `ids` that still wait in the inbox. */
async function selectPostsInInbox({ db, storeId }: StoreTx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('capture_inbox')
    .select('id')
    .where('store_id', '=', storeId)
    .where('id', 'in', [...ids])
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Limit of open carts that one shopper can have; more come only from an attack. */
const MAX_CARTS_OF_SHOPPER = 5

/** With more guests at once, no match between a draft and a cart is certain. */
const MAX_GUESTS = 500

const CART_TOKEN = (storeId: string, shopper: ReturnType<typeof sql>) => sql`select k.value from shopper_keys k
  where k.store_id = ${storeId} and k.shopper_id = ${shopper} and k.kind = 'cart' order by k.value limit 1`

/**
 * Live carts whose shopper typed the order's email or phone above a limit and has no other contact, by index of the
 * order. An order from long before the contact was typed is ignored.
 */
async function findCartsConfirmedBy(
  { db, storeId }: StoreTx,
  orders: readonly OrderLookup[],
): Promise<Map<number, string[]>> {
  const rows = await sql<{ place: number; token: string }>`
    select o.place, t.value as token
    from jsonb_to_recordset(${JSON.stringify(orders)}::jsonb) as o(place int, email text, phone text, at timestamptz)
    cross join lateral (
      select distinct s.id from unconfirmed_contacts u join shoppers s on s.store_id = u.store_id and s.id = u.shopper_id
      where u.store_id = ${storeId} and u.value in (o.email, o.phone) and u.said_at <= o.at + interval '10 minutes'
        and s.email is null and s.phone is null
        and exists (select 1 from carts c where c.store_id = ${storeId} and c.shopper_id = s.id and c.status in ('active', 'abandoned'))
      order by s.id desc limit ${MAX_CARTS_OF_SHOPPER}) s
    cross join lateral (${CART_TOKEN(storeId, sql`s.id`)}) t`.execute(db)
  return new Map(
    [...Map.groupBy(rows.rows, (row) => row.place)].map(([place, found]) => [place, found.map((row) => row.token)]),
  )
}

/**
 * Live captured carts without contact and order, from about the time of a draft, by index of the draft. A draft
 * that is known, or whose contact belongs to a shopper with a live cart, gets none.
 */
async function findCartsLikeDrafts(
  { db, storeId }: StoreTx,
  drafts: readonly OrderLookup[],
): Promise<Map<number, CapturedCart[]>> {
  const rows = await sql<CapturedCart & { place: number }>`
    select d.place, t.value as token, c.fold #> '{episode,items}' as items, c.fold -> 'contact' as contact
    from jsonb_to_recordset(${JSON.stringify(drafts)}::jsonb) as d(place int, at timestamptz, keys jsonb)
    cross join lateral (
      select c.shopper_id, c.fold from carts c
      where c.store_id = ${storeId} and c.status in ('active', 'abandoned') and c.email is null and c.phone is null
        and c.last_activity_at between d.at - interval '10 minutes' and d.at + interval '10 minutes'
        and c.fold -> 'orders' = '{}'::jsonb
      order by c.last_activity_at desc limit ${MAX_GUESTS}) c
    cross join lateral (${CART_TOKEN(storeId, sql`c.shopper_id`)}) t
    where not exists (
      select 1 from jsonb_to_recordset(d.keys) as mine(kind text, value text)
      join shopper_keys k on k.store_id = ${storeId} and k.kind = mine.kind and k.value = mine.value
      where k.kind = 'order' or exists (select 1 from carts live where live.store_id = ${storeId}
        and live.shopper_id = k.shopper_id and live.status in ('active', 'abandoned')))`.execute(db)
  return Map.groupBy(rows.rows, (row) => row.place)
}
