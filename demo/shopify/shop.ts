// What every part of the store is handed: its memory, its clock, its address, and how it is set up.
import type { LookupFunction } from 'node:net'
import { type Db, readMeta, writeMeta } from './records.ts'
import type { ProtectedContent } from './schema/schema.ts'

export const storeName = 'Fern & Finch'
export const storeTagline = 'Seeds, bulbs and tools for small gardens'
export const storeZone = 'America/Los_Angeles'
export const currency = 'USD'

export const plans = {
  basic: { name: 'Basic', isPlus: false, rate: 100 },
  grow: { name: 'Grow', isPlus: false, rate: 100 },
  advanced: { name: 'Advanced', isPlus: false, rate: 200 },
  plus: { name: 'Shopify Plus', isPlus: true, rate: 1000 },
  paused: { name: 'Pause and Build', isPlus: false, rate: 100 },
} as const

/** What an owner or Shopify can change while the store runs; kept with the data. */
export interface Setup {
  /** `missing`: there is no shop of this name. */
  state: 'open' | 'frozen' | 'locked' | 'missing'
  plan: keyof typeof plans
  /** The storefront asks for this; null: open to everybody. */
  password: string | null
  app: {
    clientId: string
    secret: string
    /** Still good for signatures, after the secret was rotated. */
    oldSecret: { secret: string; until: number } | null
    isInstalled: boolean
    /** false: the app belongs to another organization than the store. */
    isOfOwner: boolean
    scopes: string[]
    /** Kinds of protected customer data the app may read. */
    protectedData: ProtectedContent[]
  }
}

export interface Shop {
  db: Db
  /** Milliseconds since the epoch. */
  now: () => number
  /** Where it is reached, without a slash at its end. */
  home: string
  /** host or host:port that webhooks may be sent to although Shopify refuses it: http, loopback. */
  allowedWebhookHosts: string[]
  lookup: LookupFunction
  /** How long a checkout is quiet before its recovery link works. */
  recoverableAfterMs: number
  /** IANA. */
  timeZone: string
}

/** The first label of myshopify.com: on this machine the store is reached by its address instead. */
export const shopId = 68_200_000_001
export const shopHandle = 'fern-and-finch'
export const myshopifyDomain = `${shopHandle}.myshopify.com`

export function readSetup({ db }: Pick<Shop, 'db'>): Setup {
  return JSON.parse(readMeta(db, 'setup')!) as Setup
}

export function writeSetup({ db }: Pick<Shop, 'db'>, setup: Setup) {
  writeMeta(db, 'setup', JSON.stringify(setup))
}

export const gid = (type: string, id: number) => `gid://shopify/${type}/${id}`

export function idOf(text: unknown, type?: string): number | null {
  const parts = /^gid:\/\/shopify\/([A-Za-z]+)\/(\d+)(?:\?.*)?$/.exec(String(text))
  return parts && (!type || parts[1] === type) ? Number(parts[2]) : null
}

/** As GraphQL has it: "24.95". */
export const amount = (minor: number) => (minor / 100).toFixed(2)

/** To the second, in UTC. */
export const instant = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

/** To the second, with the store's offset, as webhook bodies have it. */
export function localInstant(at: number): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(storeZone)
  return zoned.toString({ smallestUnit: 'second', timeZoneName: 'never' })
}
