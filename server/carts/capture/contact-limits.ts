import { type CaptureStatus, CONTACTS_PER_CLIENT } from '../../../shared/capture-status.ts'
import type { StoreDb } from '../../core/db/db.ts'
import { type Limit, pointTaken, tryTake, wasTaken } from '../../core/db/rate-limits.ts'
import type { Deps } from '../../deps.ts'
import { notify } from '../../access/notifications/notifications.ts'
import type { ContactLimit, Unconfirmed } from '../../core/schema/facts.ts'
import type { ShopperKey } from '../../shoppers/shoppers/rules.ts'
import { type KnownShopper, newAddresses } from './capture-rules.ts'
import * as sql from './contact-limits-sql.ts'

// How many new contacts a page's visitors may bring (X5). Anybody can post to the capture endpoint, so above the limits a contact is
// kept but not written to until an order or a draft of the store confirms it. The cart itself is never refused.

const HOUR_S = 3_600
const HOUR_MS = HOUR_S * 1_000
/** New addresses of one kind an hour from one client to one store. */
export const PER_CLIENT: Record<'email' | 'phone', Limit> = {
  email: { name: 'capture-email', points: CONTACTS_PER_CLIENT, windowS: HOUR_S },
  phone: { name: 'capture-phone', points: CONTACTS_PER_CLIENT, windowS: HOUR_S },
}
/** What one store takes from everybody: this many times its usual hour, and no less than the other. */
const TIMES_USUAL = 5
export const LEAST_CEILING = 60
/** So many of one client are taken above the store's ceiling as well: a few that bring many must not end everybody's reminders. */
const FEW = 2
const USUAL_DAYS = 28
/** An address that a client has brought is no new one in the client's next cart. */
const BROUGHT: Limit = { name: 'capture-brought', points: 1, windowS: HOUR_S }
const ALARM: Limit = { name: 'capture-alarm', points: 1, windowS: HOUR_S }
/** An order this much older than the contact still confirms it: a draft may be read before the page's own post arrives. */
export const CONFIRMED_WITHIN_MS = 10 * 60_000

export interface Arrival {
  /** undefined: the cart was never seen. */
  known: KnownShopper | undefined
  keys: readonly ShopperKey[]
  /** One client's name for this hour. */
  client: string
  /** The shop's plugin says so: what a store takes from everybody is about pages anybody can post for. */
  isSigned?: boolean
}

/** Counts the addresses that are new to the cart's shopper; answers those above a limit, with the limit. */
export async function admitContact(deps: Deps, store: StoreDb, arrival: Arrival): Promise<Unconfirmed> {
  const { known, keys } = arrival
  const refused: Unconfirmed = {}
  for (const { kind, value } of newAddresses(known?.keys ?? [], keys)) {
    if (kind !== 'email' && kind !== 'phone') continue
    const limit = refusedBefore(known, kind, value) ?? (await limitOf(deps, store, { kind, value }, arrival))
    if (limit && !(await sql.isConfirmedSince(store, { kind, value }, confirmedSince(deps)))) refused[kind] = limit
  }
  return refused
}

const confirmedSince = (deps: Deps) => new Date(deps.now().getTime() - CONFIRMED_WITHIN_MS)

/** Typed again into the same cart it is no new contact, and no better confirmed. */
function refusedBefore(known: KnownShopper | undefined, kind: 'email' | 'phone', value: string): ContactLimit | null {
  const said = kind === 'email' ? known?.contact.unconfirmedEmail : known?.contact.unconfirmedPhone
  return said === value ? (known?.limits?.[kind] ?? 'client') : null
}

/** What was above a limit is counted each time: nothing admits it but an order or a draft. */
async function limitOf(
  deps: Deps,
  store: StoreDb,
  { kind, value }: { kind: 'email' | 'phone'; value: string },
  arrival: Arrival,
): Promise<ContactLimit | null> {
  const subject = [store.storeId, arrival.client, kind, value].join('\0')
  if (await wasTaken(deps, BROUGHT, subject)) return null
  const limit = await limitReached(deps, store, kind, arrival)
  if (limit === null) await tryTake(deps, BROUGHT, subject)
  return limit
}

async function limitReached(
  deps: Deps,
  store: StoreDb,
  kind: 'email' | 'phone',
  { client, isSigned = false }: Arrival,
): Promise<ContactLimit | null> {
  const { storeId } = store
  const limit = PER_CLIENT[kind]
  const taken = await sql.takeContact(store, {
    ofClient: (from) => pointTaken(deps, limit, { subject: `${storeId}\0${client}`, from }),
    ofStore: (from) => pointTaken(deps, ofStore, { subject: storeId, from }),
    ofFew: (from) => pointTaken(deps, ofFew, { subject: storeId, from }),
    few: FEW,
    mostOfClient: limit.points,
    isStoreCounted: !isSigned,
    ...usualHours(deps),
  })
  if (taken.ofClient > limit.points) return 'client'
  if (taken.ofStore === null) return null
  if (taken.ofStore <= taken.ceiling) return null
  if ((await tryTake(deps, ALARM, storeId)) === 0) await raiseAlarm(deps, store, taken.ceiling)
  return taken.ofFew !== null && taken.ofFew <= taken.ceiling ? null : 'store'
}

const hourOf = (now: Date) => new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS)

const ofStore = { name: 'capture-store', windowS: HOUR_S }

const ofFew = { name: 'capture-few', windowS: HOUR_S }

/** The hours before this one that say what is usual: of the last four weeks. */
function usualHours(deps: Deps): sql.UsualHours {
  const hour = hourOf(deps.now())
  return { since: new Date(hour.getTime() - USUAL_DAYS * 24 * HOUR_MS), hour, times: TIMES_USUAL, least: LEAST_CEILING }
}

/** For what else anybody can bring to a store. */
export async function storeCeiling(deps: Deps, store: StoreDb): Promise<Limit> {
  return { ...ofStore, points: await sql.readCeiling(store, usualHours(deps)) }
}

/** What was above the limits in the last day, for the store's team. */
export async function readCaptureStatus(deps: Deps, store: StoreDb): Promise<CaptureStatus> {
  const unconfirmed = await sql.unconfirmedSince(store, new Date(deps.now().getTime() - 24 * HOUR_MS))
  return { unconfirmed, ceiling: (await storeCeiling(deps, store)).points }
}

async function raiseAlarm(deps: Deps, store: StoreDb, ceiling: number): Promise<void> {
  deps.log.warn({ storeId: store.storeId, ceiling }, 'capture.flooded')
  await notify(store, { type: 'capture_flood', data: { ceiling }, at: deps.now() })
}
