// The context of every part of the store: database, clock, address and setup.
import type { LookupFunction } from 'node:net'
import { type Db, readMeta, writeMeta } from './records.ts'
import type { ProtectedContent } from './schema/schema.ts'

export const storeName = 'Fern & Finch'
export const storeTagline = 'Seeds, bulbs and tools for small gardens'
export const storeTimeZone = 'America/Los_Angeles'
export const currency = 'USD'

export const plans = {
  basic: { name: 'Basic', isPlus: false, rate: 100 },
  grow: { name: 'Grow', isPlus: false, rate: 100 },
  advanced: { name: 'Advanced', isPlus: false, rate: 200 },
  plus: { name: 'Shopify Plus', isPlus: true, rate: 1000 },
  paused: { name: 'Pause and Build', isPlus: false, rate: 100 },
} as const

/** Settings that the owner or Shopify can change at run time; stored with the data. */
export interface Setup {
  /** `missing`: no shop has this name. */
  state: 'open' | 'frozen' | 'locked' | 'missing'
  plan: keyof typeof plans
  /** The storefront's password; null: public. */
  password: string | null
  app: {
    clientId: string
    secret: string
    /** The old secret, still used for signatures after a rotation. */
    oldSecret: { secret: string; until: number } | null
    isInstalled: boolean
    /** false: the app belongs to another organization than the store. */
    isOfOwner: boolean
    scopes: string[]
    /** Kinds of protected customer data that the app may read. */
    protectedData: ProtectedContent[]
  }
}

export interface Shop {
  db: Db
  /** Milliseconds since the epoch. */
  now: () => number
  /** The store's URL without a trailing slash. */
  home: string
  /** host or host:port that may receive webhooks although Shopify forbids it (http, loopback). */
  allowedWebhookHosts: string[]
  lookup: LookupFunction
  /** Age of a checkout at which its recovery link works. */
  recoverableAfterMs: number
  /** IANA. */
  timeZone: string
}

/** The shop's myshopify.com subdomain. Locally the store is reached by its URL instead. */
export const shopId = 68_200_000_001
export const shopHandle = 'fern-and-finch'
export const myshopifyDomain = `${shopHandle}.myshopify.com`

export function readSetup({ db }: Pick<Shop, 'db'>): Setup {
  return JSON.parse(readMeta(db, 'setup')!) as Setup
}

export function writeSetup({ db }: Pick<Shop, 'db'>, setup: Setup) {
  writeMeta(db, 'setup', JSON.stringify(setup))
}

export const buildGid = (type: string, id: number) => `gid://shopify/${type}/${id}`

export function parseGid(text: unknown, type?: string): number | null {
  const parts = /^gid:\/\/shopify\/([A-Za-z]+)\/(\d+)(?:\?.*)?$/.exec(String(text))
  return parts && (!type || parts[1] === type) ? Number(parts[2]) : null
}

/** GraphQL's form: "24.95". */
export const formatAmount = (minor: number) => (minor / 100).toFixed(2)

/** UTC, to the second. */
export const formatInstant = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

/** With the store's offset, to the second, as in webhook bodies. */
export function formatLocalInstant(at: number): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(storeTimeZone)
  return zoned.toString({ smallestUnit: 'second', timeZoneName: 'never' })
}
