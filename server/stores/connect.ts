import { plans } from '../../shared/billing.ts'
import {
  normalizeStoreUrl,
  SHOPIFY_TOKEN_REQUIRED,
  STORE_PROBLEM_WORDS,
  WOOCOMMERCE_KEYS_REQUIRED,
} from '../../shared/store-problems.ts'
import { storeTexts } from '../../shared/stores.ts'
import { limits, take } from '../accounts/limits.ts'
import { setSessionStore } from '../accounts/session.ts'
import { type AccountPlan, hasActiveSubscription, planOf } from '../billing/billing.ts'
import { type AccountTx, transactAccount } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { createReadyFlow } from '../flows/flows.ts'
import { newId } from '../ids.ts'
import type { PlatformName, StoreProfile } from '../platforms/platform.ts'
import { randomToken } from '../secrets.ts'
import { keepKeys, type StoreKeys } from './access.ts'
import { importJob, webhooksJob } from './jobs.ts'
import { askStore } from './problems.ts'
import { hasRoom, isSpelledAlike, RETENTION_MS } from './rules.ts'
import * as sql from './sql.ts'
import { ensureStreams } from './sync-sql.ts'

// Connecting: the keys are tried first, then one transaction makes everything a connected store has.

const PROFILE_LIMIT_MS = 45_000

export interface ConnectRequest {
  platform: PlatformName
  store_url: string
  consumer_key?: string | undefined
  consumer_secret?: string | undefined
  access_token?: string | undefined
}

/** Who connects. Without a session (the demo's own set-up) no current store is chosen. */
export interface Connector {
  accountId: string
  sessionId: string | null
}

interface Checked {
  platform: PlatformName
  storeUrl: string
  keys: StoreKeys
  isDemoStore: boolean
  profile: StoreProfile
}

export async function connectStore(deps: Deps, connector: Connector, wanted: ConnectRequest) {
  const { storeUrl, keys } = readRequest(wanted)
  const account = { accountId: connector.accountId, db: deps.db }
  const isDemoStore = storeUrl === deps.demo?.storeUrl
  if (!isDemoStore && (await sql.isDemoAccount(account))) {
    throw new AppError('forbidden', 'The demo account stays with the demo store. Register to connect your own store.')
  }
  // Before the store is asked, so that nobody is sent to fetch keys for a store the plan has no room for.
  assertRoom(await planOf(account), await sql.storesOf(account), storeUrl)
  await take(deps, limits.connectPerAccount, connector.accountId)
  const client = deps.storeClient(wanted.platform, { storeUrl, homeUrl: storeUrl, ...keys })
  const profile = await askStore(PROFILE_LIMIT_MS, (signal) => client.readProfile(signal))
  const checked = { platform: wanted.platform, storeUrl: profile.storeUrl, keys, isDemoStore, profile }
  const store = await onlyOnce(() => transactAccount(account, (tx) => keepStore(deps, tx, connector, checked)))
  return { store, warnings: warningsOf(profile) }
}

/** A 5, in its words. */
function readRequest(wanted: ConnectRequest): { storeUrl: string; keys: StoreKeys } {
  const address = normalizeStoreUrl(wanted.platform, wanted.store_url)
  if (!address.ok) throw new AppError('invalid', address.message, { fields: { store_url: address.message } })
  if (wanted.platform === 'shopify') {
    if (!wanted.access_token?.trim()) throw new AppError('invalid', SHOPIFY_TOKEN_REQUIRED)
    throw new AppError('unprocessable', storeTexts.shopifyLater)
  }
  const consumerKey = wanted.consumer_key?.trim()
  const consumerSecret = wanted.consumer_secret?.trim()
  if (!consumerKey || !consumerSecret) throw new AppError('invalid', WOOCOMMERCE_KEYS_REQUIRED)
  return { storeUrl: address.storeUrl, keys: { consumerKey, consumerSecret } }
}

function assertRoom(plan: AccountPlan, stores: sql.StoreRow[], address: string): void {
  if (!hasActiveSubscription(plan)) {
    throw new AppError('plan_required', 'Choose a plan before you connect a store. The free plan is enough for one.')
  }
  const others = stores.filter((each) => each.is_active && !isSpelledAlike(each.url, address))
  if (hasRoom(plan.limits, others.length)) return
  const { maxStores } = plan.limits
  const upgrade = maxStores < plans.growth.limits.maxStores ? 'Upgrade your plan, or' : 'To connect another one,'
  throw new AppError(
    'plan_required',
    `Your plan (${plan.name}) includes ${maxStores} ${maxStores === 1 ? 'store' : 'stores'}. ${upgrade} disconnect a store first.`,
  )
}

async function keepStore(deps: Deps, tx: AccountTx, connector: Connector, checked: Checked): Promise<sql.StoreRow> {
  await sql.lockAccount(tx)
  const now = deps.now()
  const stores = await sql.storesOf(tx)
  assertRoom(await planOf(tx), stores, checked.storeUrl)
  const known = stores.find((each) => isSame(each, checked, now))
  const columns = { ...columnsOf(checked), is_active: true, disconnected_at: null }
  const store = known
    ? (await sql.updateStore(tx, known.id, columns))!
    : await sql.insertStore(tx, { ...columns, ...newStore(checked.profile, now) })
  const inside = { storeId: store.id, db: tx.db }
  await keepKeys(deps, tx, store.id, checked.keys)
  await sql.insertStoreSend(inside)
  await ensureStreams(inside)
  await createReadyFlow(inside, now, checked.isDemoStore)
  await deps.jobs.enqueue(tx.db, importJob, { storeId: store.id }, store.id)
  await deps.jobs.enqueue(tx.db, webhooksJob, { storeId: store.id }, store.id)
  if (connector.sessionId) await setSessionStore(tx, connector.sessionId, store.id)
  return store
}

/** The same store again: still connected (new keys), or disconnected for less than 30 days (its data comes back to life). */
function isSame(row: sql.StoreRow, checked: Checked, now: Date): boolean {
  if (row.platform !== checked.platform || row.home_url !== checked.profile.homeUrl) return false
  return row.is_active || now.getTime() - (row.disconnected_at?.getTime() ?? 0) < RETENTION_MS
}

function columnsOf({ platform, storeUrl, isDemoStore, profile }: Checked) {
  return { platform, url: storeUrl, home_url: profile.homeUrl, is_demo: isDemoStore, ...profileColumns(profile) }
}

/** What is read again every day. */
export function profileColumns(profile: StoreProfile) {
  return {
    name: profile.name,
    currency: profile.currency,
    time_zone: profile.timeZone,
    version: profile.version,
    base_country: profile.baseCountry,
    selling_countries: profile.sellingCountries,
    has_checkout_link: profile.hasCheckoutLink,
    can_write: profile.canWrite,
  }
}

function newStore(profile: StoreProfile, now: Date) {
  return { id: newId(), connected_at: now, capture_key: randomToken(), sender_name: profile.name.slice(0, 120) }
}

function warningsOf(profile: StoreProfile): string[] {
  if (profile.canWrite) return []
  const { sentence, nextStep } = STORE_PROBLEM_WORDS.read_only_key
  return [`${sentence} ${nextStep}`]
}

/** Decision 7: one account per store address. The unique index decides, also between two who connect at the same moment. */
async function onlyOnce<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if ((error as { constraint?: string }).constraint !== 'stores_url_key') throw error
    throw new AppError('conflict', 'This store is already connected to another account.', { cause: error })
  }
}
