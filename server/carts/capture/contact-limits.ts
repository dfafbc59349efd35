import { type CaptureStatus, CONTACTS_PER_CLIENT } from '../../../shared/carts/capture-status.ts'
import { notify } from '../../access/notifications/public.ts'
import { hasUsedPoint, type Limit, type StoreDb, takePointSql, tryTakePoint } from '../../core/db/public.ts'
import type { ContactLimit, Unconfirmed } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import type { ShopperKey } from '../../shoppers/shoppers/public.ts'
import { type KnownShopper, listNewAddresses } from './capture-rules.ts'
import * as sql from './contact-limits-sql.ts'

// Limits new contacts from pages (X5). Anybody can post to the capture endpoint. A contact above a limit is kept, but
// gets no messages until an order or a draft of the store confirms it. The cart itself is never refused.

const HOUR_S = 3_600
const HOUR_MS = HOUR_S * 1_000
/** New addresses of one kind per hour, client and store. */
export const PER_CLIENT: Record<'email' | 'phone', Limit> = {
  email: { name: 'capture-email', points: CONTACTS_PER_CLIENT, windowS: HOUR_S },
  phone: { name: 'capture-phone', points: CONTACTS_PER_CLIENT, windowS: HOUR_S },
}
/** Ceiling of a store: this multiple of its usual hour, and at least LEAST_CEILING. */
const TIMES_USUAL = 5
export const MIN_CEILING = 60
/** Contacts of one client accepted above the store's ceiling: a few flooding clients must not stop all reminders. */
const FEW = 2
const USUAL_DAYS = 28
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
): Promise<Unconfirmed> {
  const { known, keys } = arrival
  const refused: Unconfirmed = {}
  for (const { kind, value } of listNewAddresses(known?.keys ?? [], keys)) {
    if (kind !== 'email' && kind !== 'phone') continue
    const limit = findEarlierLimit(known, kind, value) ?? (await checkLimit(deps, store, { kind, value }, arrival))
    if (limit && !(await sql.isConfirmedSince(store, { kind, value }, findEarliestConfirmation(deps))))
      refused[kind] = limit
  }
  return refused
}

const findEarliestConfirmation = (deps: Pick<Deps, 'now'>) => new Date(deps.now().getTime() - CONFIRMED_WITHIN_MS)

/** Typed again into the same cart, the contact is neither new nor confirmed. */
function findEarlierLimit(
  known: KnownShopper | undefined,
  kind: 'email' | 'phone',
  value: string,
): ContactLimit | null {
  const previous = kind === 'email' ? known?.contact.unconfirmedEmail : known?.contact.unconfirmedPhone
  return previous === value ? (known?.limits?.[kind] ?? 'client') : null
}

/** A contact above a limit is counted each time: only an order or a draft confirms it. */
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
  const limit = PER_CLIENT[kind]
  const isCounted = await sql.countContact(store, {
    ofClient: (from) => takePointSql(deps, limit, { subject: `${storeId}\0${client}`, from }),
    ofStore: (from) => takePointSql(deps, ofStore, { subject: storeId, from }),
    ofFew: (from) => takePointSql(deps, ofFew, { subject: storeId, from }),
    few: FEW,
    mostOfClient: limit.points,
    isStoreCounted: !isSigned,
    ...buildUsualHours(deps),
  })
  if (isCounted.ofClient > limit.points) return 'client'
  if (isCounted.ofStore === null) return null
  if (isCounted.ofStore <= isCounted.ceiling) return null
  if ((await tryTakePoint(deps, ALARM, storeId)) === 0) await raiseAlarm(deps, store, isCounted.ceiling)
  return isCounted.ofFew !== null && isCounted.ofFew <= isCounted.ceiling ? null : 'store'
}

const startOfHour = (now: Date) => new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS)

const ofStore = { name: 'capture-store', windowS: HOUR_S }

const ofFew = { name: 'capture-few', windowS: HOUR_S }

/** The hours of the last four weeks, from which the usual hour is computed. */
function buildUsualHours(deps: Pick<Deps, 'now'>): sql.UsualHours {
  const hour = startOfHour(deps.now())
  return { since: new Date(hour.getTime() - USUAL_DAYS * 24 * HOUR_MS), hour, times: TIMES_USUAL, least: MIN_CEILING }
}

/** The same ceiling for other public endpoints of a store. */
export async function readStoreCeiling(deps: Pick<Deps, 'now'>, store: StoreDb): Promise<Limit> {
  return { ...ofStore, points: await sql.readCeiling(store, buildUsualHours(deps)) }
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
