import { type CaptureStatus, CONTACTS_PER_CLIENT } from '../../../shared/carts/capture-status.ts'
import { notify } from '../../access/notifications/public.ts'
import { hasUsedPoint, type Limit, type StoreDb, takePointSql, tryTakePoint } from '../../core/db/public.ts'
import type { ContactLimit, UnconfirmedContacts } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import type { ShopperKey } from '../../shoppers/shoppers/public.ts'
import { type KnownShopper, listNewAddresses } from './capture-rules.ts'
import * as sql from './contact-limits-sql.ts'

// Limits new contacts from pages (X5). Anybody can post to the capture endpoint. A contact above a limit is kept, but
// gets no messages until an order or a draft of the store confirms it. The cart itself is never refused.

const HOUR_S = 3_600
const HOUR_MS = HOUR_S * 1_000
/** New addresses of one kind per hour, client and store. */
export const CLIENT_LIMITS: Record<'email' | 'phone', Limit> = {
  email: { name: 'capture-email', points: CONTACTS_PER_CLIENT, windowS: HOUR_S },
  phone: { name: 'capture-phone', points: CONTACTS_PER_CLIENT, windowS: HOUR_S },
}
/** Ceiling of a store: this multiple of its median new contacts per hour, and at least MIN_CEILING. */
const CEILING_FACTOR = 5
export const MIN_CEILING = 60
/** Contacts of one client accepted above the store's ceiling: a few flooding clients must not stop all reminders. */
const MAX_PER_CLIENT_ABOVE_CEILING = 2
const CEILING_DAYS = 28
/** An address from a client does not count again in the client's next cart. */
const KNOWN_ADDRESS: Limit = { name: 'capture-brought', points: 1, windowS: HOUR_S }
const ALARM: Limit = { name: 'capture-alarm', points: 1, windowS: HOUR_S }
/** An order this much older still confirms the contact: a draft may be read before the page's post arrives. */
export const CONFIRMED_WITHIN_MS = 10 * 60_000

export interface NewContact {
  /** undefined: an unknown cart. */
  known: KnownShopper | undefined
  keys: readonly ShopperKey[]
  /** Hash of the client for this hour. */
  client: string
  /** Signed by the plugin, so the store's ceiling does not apply: it protects against forged posts. */
  isSigned?: boolean
}

/** Counts addresses new to the cart's shopper. Returns those above a limit, with the limit. */
export async function admitContact(
  deps: Pick<Deps, 'log' | 'now' | 'pool' | 'secrets'>,
  store: StoreDb,
  arrival: NewContact,
): Promise<UnconfirmedContacts> {
  const { known, keys } = arrival
  const unconfirmed: UnconfirmedContacts = {}
  for (const { kind, value } of listNewAddresses(known?.keys ?? [], keys)) {
    if (kind !== 'email' && kind !== 'phone') continue
    const limit = findEarlierLimit(known, kind, value) ?? (await checkLimit(deps, store, { kind, value }, arrival))
    if (limit && !(await sql.isConfirmedSince(store, { kind, value }, findEarliestConfirmation(deps))))
      unconfirmed[kind] = limit
  }
  return unconfirmed
}

const findEarliestConfirmation = (deps: Pick<Deps, 'now'>) => new Date(deps.now().getTime() - CONFIRMED_WITHIN_MS)

/** A contact typed twice into one cart stays unconfirmed. */
function findEarlierLimit(
  known: KnownShopper | undefined,
  kind: 'email' | 'phone',
  value: string,
): ContactLimit | null {
  const previous = kind === 'email' ? known?.contact.unconfirmedEmail : known?.contact.unconfirmedPhone
  return previous === value ? (known?.limits?.[kind] ?? 'client') : null
}

/** Only a contact below the limits becomes a known address, so one above a limit is counted each time. */
async function checkLimit(
  deps: Pick<Deps, 'log' | 'now' | 'pool' | 'secrets'>,
  store: StoreDb,
  { kind, value }: { kind: 'email' | 'phone'; value: string },
  arrival: NewContact,
): Promise<ContactLimit | null> {
  const subject = [store.storeId, arrival.client, kind, value].join('\0')
  if (await hasUsedPoint(deps, KNOWN_ADDRESS, subject)) return null
  const limit = await countAgainstLimits(deps, store, kind, arrival)
  if (limit === null) await tryTakePoint(deps, KNOWN_ADDRESS, subject)
  return limit
}

async function countAgainstLimits(
  deps: Pick<Deps, 'log' | 'now' | 'pool' | 'secrets'>,
  store: StoreDb,
  kind: 'email' | 'phone',
  { client, isSigned = false }: NewContact,
): Promise<ContactLimit | null> {
  const { storeId } = store
  const limit = CLIENT_LIMITS[kind]
  const counts = await sql.countContact(store, {
    countForClient: (from) => takePointSql(deps, limit, { subject: `${storeId}\0${client}`, from }),
    countForStore: (from) => takePointSql(deps, STORE_LIMIT, { subject: storeId, from }),
    countAboveCeiling: (from) => takePointSql(deps, ABOVE_CEILING_LIMIT, { subject: storeId, from }),
    maxPerClientAboveCeiling: MAX_PER_CLIENT_ABOVE_CEILING,
    maxPerClient: limit.points,
    isStoreCounted: !isSigned,
    ...buildCeilingInput(deps),
  })
  if (counts.client > limit.points) return 'client'
  if (counts.store === null) return null
  if (counts.store <= counts.ceiling) return null
  if ((await tryTakePoint(deps, ALARM, storeId)) === 0) await raiseAlarm(deps, store, counts.ceiling)
  return counts.aboveCeiling !== null && counts.aboveCeiling <= counts.ceiling ? null : 'store'
}

const startOfHour = (now: Date) => new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS)

const STORE_LIMIT = { name: 'capture-store', windowS: HOUR_S }

const ABOVE_CEILING_LIMIT = { name: 'capture-few', windowS: HOUR_S }

/** The ceiling is computed from the hours of the last four weeks. */
function buildCeilingInput(deps: Pick<Deps, 'now'>): sql.CeilingInput {
  const hour = startOfHour(deps.now())
  return {
    since: new Date(hour.getTime() - CEILING_DAYS * 24 * HOUR_MS),
    hour,
    factor: CEILING_FACTOR,
    minimum: MIN_CEILING,
  }
}

/** The same ceiling for other public endpoints of a store. */
export async function readStoreCeiling(deps: Pick<Deps, 'now'>, store: StoreDb): Promise<Limit> {
  return { ...STORE_LIMIT, points: await sql.readCeiling(store, buildCeilingInput(deps)) }
}

/** Contacts above the limits in the last day, for the store's team. */
export async function readCaptureStatus(deps: Pick<Deps, 'now'>, store: StoreDb): Promise<CaptureStatus> {
  const unconfirmed = await sql.countUnconfirmed(store, new Date(deps.now().getTime() - 24 * HOUR_MS))
  return { unconfirmed, ceiling: (await readStoreCeiling(deps, store)).points }
}

async function raiseAlarm(deps: Pick<Deps, 'log' | 'now'>, store: StoreDb, ceiling: number): Promise<void> {
  deps.log.warn({ storeId: store.storeId, ceiling }, 'capture.flooded')
  await notify(store, { type: 'capture_flood', data: { ceiling }, at: deps.now() })
}
