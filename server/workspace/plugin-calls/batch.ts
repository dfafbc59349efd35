import type { z } from 'zod'
import { parseLocale } from '../../../shared/core/locale.ts'
import { parseCurrency, parseMinor } from '../../../shared/core/money.ts'
import { boxChannels } from '../../../shared/shoppers/consent-box.ts'
import { readInput } from '../../access/http/public.ts'
import { changePlugin, isReporting, noteBatch } from '../../access/plugin/public.ts'
import { readStore } from '../../access/stores/public.ts'
import {
  buildZone,
  readContact,
  readName,
  recordCustomerConsents,
  recordSignedPosts,
  type SignedPost,
} from '../../carts/capture/public.ts'
import { recordOrders } from '../../carts/carts/public.ts'
import { readPushOnlyPlugin, recordActive } from '../../carts/sync/public.ts'
import type { FoldItem } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import { addChoices } from '../../platforms/platform/public.ts'
import { findPluginProtocol } from '../../platforms/registry/public.ts'
import {
  type ConsentAnswer,
  countBoxViews,
  listFormViews,
  selectPurchaseAddresses,
} from '../../shoppers/consent/public.ts'
import type { Caller } from './caller.ts'
import { computeSettingsVersion } from './settings.ts'
import type { CartEntry } from './wire.ts'
import { Batch, type ConsentEntry, Entry, Numbered } from './wire.ts'

// Processes the plugin's queue: carts, orders and consents in order. Each entry is accepted or rejected individually; a
// repeated entry changes nothing.

interface ReadEntry {
  seq: number
  at: Date
  entry: Entry
}

interface RejectedEntry {
  seq: number
  code: string
  error: string
}

export async function processBatch(deps: Deps, caller: Caller, body: unknown) {
  const { entries, install, plugin } = readInput(Batch, body)
  const { read, refused } = readEntries(entries, deps.now())
  const ofType = <T extends Entry['type']>(type: T) =>
    read.filter((each): each is ReadEntry & { entry: Extract<Entry, { type: T }> } => each.entry.type === type)
  const carts = ofType('cart').map(({ entry, seq, at }) => ({ seq, ...cartPost(entry, { install, seq, at }) }))
  const orders = ofType('order').map(({ entry, seq }) => ({ seq, order: entry.order, cart: entry.cart ?? null }))
  const stored = await storeCarts(deps, caller, { install, carts })
  refused.push(...stored.refused)
  refused.push(...(await storeOrders(deps, caller, orders)))
  for (const { entry, at } of ofType('consent')) await storeConsent(deps, caller, entry, at)
  await countBoxViews(
    deps,
    caller,
    read.flatMap((each) => listForms(each, install)),
  )
  await recordActive(caller, listActiveCustomers(read, stored.customers))
  const test = ofType('test').at(-1)?.entry.test
  if (test) await changePlugin(caller, { test_seen: test, test_seen_at: deps.now() })
  const seq = Math.max(0, ...read.map((each) => each.seq))
  await noteBatch(caller, { install, version: plugin, seq, cartAt: carts.length > 0 ? deps.now() : null })
  const lost = new Set(refused.map((each) => each.seq))
  const done = read.map((each) => each.seq).filter((each) => !lost.has(each))
  return { done, refused, settings: await computeSettingsVersion(deps, caller), beat: await isBeatNeeded(deps, caller) }
}

/** A shop that became unreachable would report its orders only with the next heartbeat, up to an hour later. */
async function isBeatNeeded(deps: Pick<Deps, 'now'>, caller: Caller): Promise<boolean> {
  const plugin = await readPushOnlyPlugin(caller)
  return plugin !== null && !isReporting(plugin, deps.now())
}

function readEntries(entries: readonly unknown[], now: Date): { read: ReadEntry[]; refused: RejectedEntry[] } {
  const read: ReadEntry[] = []
  const refused: RejectedEntry[] = []
  for (const raw of entries) {
    // Without a number, the rejection could not name the entry, so the whole batch is rejected.
    const { seq, age, ...rest } = readInput(Numbered, raw)
    const parsed = Entry.safeParse(rest)
    if (parsed.success) read.push({ seq, at: toTime(age, now), entry: parsed.data })
    else refused.push({ seq, code: 'invalid', error: describeFirstIssue(parsed.error) })
  }
  return { read: read.sort((a, b) => a.seq - b.seq), refused }
}

/** Names the field, but not its value. */
const describeFirstIssue = ({ issues: [issue] }: z.ZodError) =>
  `${issue?.path.join('.') || 'type'} is not of its form`.slice(0, 200)

interface CartEntries {
  refused: RejectedEntry[]
  /** Ids of signed-in customers that the carts may name. */
  customers: string[]
}

/** A value that the database rejects fails only its own entry. */
async function storeCarts(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'pool' | 'secrets'>,
  caller: Caller,
  { install, carts }: { install: string; carts: readonly (SignedPost & { seq: number })[] },
): Promise<CartEntries> {
  if (carts.length === 0) return { refused: [], customers: [] }
  const store = { id: caller.storeId, home_url: caller.homeUrl }
  try {
    return { refused: [], customers: await recordSignedPosts(deps, store, { install, posts: carts }) }
  } catch (error) {
    if (!isDataError(error)) throw error
    const [first, ...others] = carts
    if (others.length === 0) {
      const refusal = { seq: first!.seq, code: 'invalid', error: 'It has a value that cannot be stored.' }
      return { refused: [refusal], customers: [] }
    }
  }
  const each: CartEntries[] = []
  for (const cart of carts) each.push(await storeCarts(deps, caller, { install, carts: [cart] }))
  return { refused: each.flatMap((one) => one.refused), customers: each.flatMap((one) => one.customers) }
}

/** Classes 22 and 23 of SQLSTATE: data and integrity errors. */
const isDataError = (error: unknown) => /^2[23]/.test((error as { code?: string }).code ?? '')

interface OrderEntry {
  seq: number
  order: Record<string, unknown>
  cart: string | null
}

async function storeOrders(
  deps: Pick<Deps, 'db' | 'jobs' | 'now' | 'secrets'>,
  caller: Caller,
  entries: readonly OrderEntry[],
): Promise<RejectedEntry[]> {
  if (entries.length === 0) return []
  const store = await readStore(caller)
  if (!store) return []
  const { orders, refused } = findPluginProtocol(store.platform).orders(entries.map(({ order }) => order))
  const carts = new Map(
    entries.flatMap(({ order, cart }) => (cart === null ? [] : [[String(order.id), cart] as const])),
  )
  await recordOrders(deps, caller.storeId, orders, 'plugin', carts)
  return refused.map(({ place, reason }) => ({ seq: entries[place]!.seq, code: 'invalid', error: reason }))
}

/**
 * Stores consent from My account. The shop does not verify addresses, so only those the customer has bought with count
 * as proven.
 */
async function storeConsent(
  deps: Pick<Deps, 'now' | 'secrets'>,
  caller: Caller,
  { contact, consent, customer }: ConsentEntry,
  at: Date,
) {
  const { state: _, country, ...typed } = contact
  const known = readContact({ ...typed, ...(country && { country }) })
  if (!known) return
  const addresses = [known.email, known.phone].filter((each) => each !== undefined)
  const proven = await selectPurchaseAddresses(caller, customer.id, addresses)
  const answers = boxChannels.flatMap((channel): ConsentAnswer[] => {
    const [box, address] = [consent[channel], channel === 'email' ? known.email : known.phone]
    if (!box || !address) return []
    const wording = box.isGiven ? box.wording : null
    const origin = proven.has(address)
      ? { source: 'account page' }
      : { source: 'account page, unconfirmed', unproven: 'account page' as const }
    const country = known.country ?? null
    const who = { channel, address, country, customerId: customer.id }
    return [{ ...who, isGiven: box.isGiven, wording, answeredAt: at, ...origin }]
  })
  await recordCustomerConsents(deps, caller, { said: answers, contact: { ...known, customerId: customer.id } })
}

/** Box views that the cart's own report lacks: an order may precede that report, and My account has no cart. */
function listForms({ entry, seq }: ReadEntry, install: string) {
  if (entry.type === 'order' && entry.cart) return listFormViews(entry.cart, entry.forms ?? {})
  return entry.type === 'form' ? listFormViews(`${install} ${seq}`, entry.forms) : []
}

function listActiveCustomers(read: readonly ReadEntry[], customers: readonly string[]) {
  return read.flatMap(({ entry }) => {
    const customer = entry.type === 'cart' ? entry.customer : null
    if (!customer?.lastActive || !customers.includes(customer.id)) return []
    return [{ customerId: customer.id, at: new Date(customer.lastActive * 1_000) }]
  })
}

// Converts a plugin's cart report to a post like those of the shop's pages. Pure.

/** S7: a receipt has a time, and older ages are limited. */
const OLDEST_MS = 8 * 86_400_000

const toTime = (age: number, receivedAt: Date): Date =>
  new Date(receivedAt.getTime() - Math.min(age * 1_000, OLDEST_MS))

function cartPost(entry: CartEntry, { install, seq, at }: { install: string; seq: number; at: Date }): SignedPost {
  const { cart, contact, consent, agreed, boxes, forms, back, device, geo, agent, customer, draft } = entry
  const tag = parseLocale(entry.locale)
  const currency = parseCurrency(entry.currency)
  const { state, country, ...typed } = contact ?? {}
  const zone = geo ? buildZone(geo.country, readName(geo.city ?? '')) : null
  return {
    at,
    client: entry.client ?? null,
    post: {
      cart,
      page: install,
      seq,
      coupons: entry.coupons.map(readName),
      ...(contact && { contact: { ...typed, ...(country && { country }) } }),
      ...(consent && { consent }),
      ...(agreed && { agreed }),
      ...(boxes && { boxes }),
      ...(forms && { forms }),
      ...(back && { back }),
      ...(device && { device }),
      ...(zone && { zone }),
      ...(agent && { deviceClass: agent }),
      signed: {
        items: entry.lines.map((line) => toFoldItem(line, currency)),
        currency,
        customerId: customer?.id ?? null,
        state: country === 'US' && /^[A-Z]{2}$/.test(state ?? '') ? state! : null,
        draftId: draft ?? null,
        ...(tag && { locale: { tag, source: entry.isTranslated ? ('shop' as const) : ('site' as const) } }),
      },
    },
  }
}

/** Names and prices come from the shop, or else from the catalogue. */
function toFoldItem(line: CartEntry['lines'][number], currency: string | null): FoldItem {
  const [name, sku] = [readName(line.name ?? ''), readName(line.sku ?? '')]
  const unitPriceMinor = currency && line.price ? parseMinor(line.price, currency) : null
  const imageUrl = webAddress(line.image)
  const choices = (line.choices ?? [])
    .slice(0, 10)
    .map((each) => ({ name: readName(each.name), value: readName(each.value) }))
    .filter((each) => each.name && each.value)
  return {
    productId: line.product,
    variationId: line.variation ?? null,
    quantity: line.quantity,
    ...(name && { name: addChoices(name, choices) }),
    ...(sku && { sku }),
    ...(unitPriceMinor !== null && { unitPriceMinor: Math.max(0, unitPriceMinor) }),
    ...(imageUrl && { imageUrl }),
    ...(choices.length > 0 && { choices }),
  }
}

function webAddress(text: string | null | undefined): string | null {
  const url = URL.parse(text ?? '')
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : null
}
