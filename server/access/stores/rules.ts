import { KEYS_UNREADABLE, STORE_PROBLEM_CODES, type StoreProblemCode } from '../../../shared/access/store-problems.ts'
import type { PlanLimits } from '../../../shared/billing/billing.ts'
import type { ErrorCode } from '../../../shared/core/errors.ts'
import { removeInvisible } from '../../../shared/core/one-line.ts'
import { removeAddresses } from '../../core/common/public.ts'

// Pure rules of stores: no clock, no database, no network.

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Decision 24: retention of a disconnected store's data, during which reconnecting restores it. */
export const RETENTION_MS = 30 * DAY_MS
export const IMPORT_REACH_MS = 90 * DAY_MS

/** Y2. */
export const SWEEP_EVERY_MS = 15 * MINUTE_MS
export const SWEEP_OVERLAP_MS = 10 * MINUTE_MS
export const NIGHTLY_EVERY_MS = DAY_MS
export const NIGHTLY_OVERLAP_MS = 2 * DAY_MS
/** A failed store is read again sooner. */
export const RETRY_AFTER_MS = 5 * MINUTE_MS
export const WEBHOOKS_RETRY_MS = 60 * MINUTE_MS
/** Minimum interval of order reads for emptied carts. */
const NEW_ORDERS_EVERY_MS = MINUTE_MS
/** A store with a webhook this recently reports its orders itself. */
export const WEBHOOKS_ALIVE_MS = DAY_MS

/** D3. */
export const ORDER_CHECK_FRESH_MS = MINUTE_MS
/** Limit of the whole pull, in any number of pages; orders read by then are kept. */
export const ORDER_CHECK_LIMIT_MS = 20_000
export const ORDER_CHECK_OVERLAP_MS = 120_000
export const ORDER_CHECK_REACH_MS = 7 * DAY_MS
/** S4: how long an order that awaits payment holds messages. */
export const PENDING_HOLDS_MS = DAY_MS
/** Time limit for reading orders again that were skipped before consent (C9). */
export const PENDING_LIMIT_MS = 10_000
const FIRST_TRY_AFTER_MS = 5_000
const LAST_TRY_AFTER_MS = 30_000
/** Each attempt at a hanging store keeps a connection open until the timeout. */
const LAST_TRY_AFTER_HANGING_MS = 5 * MINUTE_MS

export const subtractMs = (instant: Date, ms: number): Date => new Date(instant.getTime() - ms)
export const addMs = (instant: Date, ms: number): Date => new Date(instant.getTime() + ms)

/**
 * The watermark of a finished pull: the newest modification seen, but never later than the pull's start. An order dated
 * in the future would otherwise hide all earlier changes.
 */
export function findNextWatermark(known: Date | null, newest: Date | null, startedAt: Date): Date | null {
  if (!newest) return known
  const reached = pickEarlier(newest, startedAt)
  return known && known > reached ? known : reached
}

/** Whether both instants lie within a second: a change applies to unsent messages within that time (D5). */
export function isWithinSecond(from: Date, to: Date): boolean {
  const ms = to.getTime() - from.getTime()
  return ms >= 0 && ms < 1_000
}

/**
 * The order check is fresh when its last complete pull started at most 60 s ago. A clock that stepped back makes it
 * stale (T4).
 */
export function isFresh(completedStart: Date | null, now: Date): boolean {
  if (!completedStart) return false
  const ageMs = now.getTime() - completedStart.getTime()
  return ageMs >= 0 && ageMs <= ORDER_CHECK_FRESH_MS
}

export interface CheckFailure {
  failures: number
  failed_at: Date | null
  error_code: string | null
}

/** The store did not answer in time; this is not a refusal. */
export const hasTimedOut = ({ error_code }: Pick<CheckFailure, 'error_code'>): boolean => error_code === 'timeout'

/**
 * Retry time after a failed order check: 5, 10, 20, then every 30 seconds; after a timeout 5, 10, 20, 40 up to 300. One
 * retry time serves all messages of the store. A failure dated in the future precedes a clock step and is ignored.
 */
export function computeNextTry(failure: CheckFailure, now: Date): Date {
  const { failures, failed_at } = failure
  if (failures === 0 || !failed_at || failed_at > now) return now
  const longest = hasTimedOut(failure) ? LAST_TRY_AFTER_HANGING_MS : LAST_TRY_AFTER_MS
  return addMs(failed_at, Math.min(FIRST_TRY_AFTER_MS * 2 ** Math.min(failures - 1, 10), longest))
}

/**
 * The last single-record request timed out and its back-off has not ended. List requests do not count: a large shop
 * with slow lists may still answer for one order.
 */
export function isHanging(streams: readonly (CheckFailure & { stream: string })[], now: Date): boolean {
  return streams.some((each) => each.stream === 'record_check' && hasTimedOut(each) && computeNextTry(each, now) > now)
}

/**
 * When orders may be read for an emptied cart. `lastStart` is null before the first sweep; one in the future precedes a
 * clock step and is ignored.
 */
export function findNextNewOrders(lastStart: Date | null, now: Date): Date {
  if (!lastStart || lastStart > now) return now
  const next = addMs(lastStart, NEW_ORDERS_EVERY_MS)
  return next > now ? next : now
}

export function pickEarlier(one: Date, other: Date): Date {
  return one.getTime() < other.getTime() ? one : other
}

export function pickNewest(instants: (Date | null | undefined)[]): Date | null {
  return instants.reduce<Date | null>((best, each) => (each && (!best || each > best) ? each : best), null)
}

export function findOldest(instants: (Date | null | undefined)[]): Date | null {
  return instants.reduce<Date | null>((best, each) => (each && (!best || each < best) ? each : best), null)
}

/** -1 means unlimited. */
export function hasRoom(limits: PlanLimits, activeStores: number): boolean {
  return limits.maxStores === -1 || activeStores < limits.maxStores
}

/** Whether two addresses differ only in https or www. */
export function isSameAddress(one: string, other: string): boolean {
  const bare = (url: string) => url.toLowerCase().replace(/^https?:\/\/(www\.)?/, '')
  return bare(one) === bare(other)
}

const KEYS: ErrorCode = 'store_credentials'
const ADDRESS: ErrorCode = 'unprocessable'
const AWAY: ErrorCode = 'store_unreachable'

/** The request error for each store problem. */
export const errorCodeOf: Readonly<Record<StoreProblemCode, ErrorCode>> = {
  unreachable: AWAY,
  timeout: AWAY,
  redirect_loop: ADDRESS,
  moved: ADDRESS,
  certificate: ADDRESS,
  private_address: ADDRESS,
  no_wordpress: ADDRESS,
  shop_inactive: ADDRESS,
  plain_permalinks: ADDRESS,
  api_blocked: ADDRESS,
  wrong_key: KEYS,
  wrong_secret: KEYS,
  read_only_key: KEYS,
  no_rights: KEYS,
  clock_skew: KEYS,
  needs_signing: KEYS,
  sign_in_lost: KEYS,
  store_error: AWAY,
  maintenance: AWAY,
  rate_limited: 'rate_limited',
  bad_answer: ADDRESS,
  shopify_app_not_installed: KEYS,
  shopify_wrong_organization: KEYS,
  shopify_token_revoked: KEYS,
  shopify_secret_wrong: KEYS,
  shopify_scopes_missing: KEYS,
  shopify_protected_data: KEYS,
  shopify_store_frozen: ADDRESS,
  shopify_store_paused: ADDRESS,
  shopify_wrong_shop: ADDRESS,
  shopify_password_page: ADDRESS,
  shopify_error: AWAY,
  shopify_bad_answer: ADDRESS,
}

/** The shop itself does not answer, so shoppers cannot reach it either. */
export function isShopDown(code: string): boolean {
  return code in errorCodeOf && errorCodeOf[code as StoreProblemCode] === AWAY
}

/** Another system answered instead of the shop. */
const UNCLEAR: ReadonlySet<string> = new Set<StoreProblemCode>(['bad_answer', 'shopify_bad_answer'])

/** The shop answers and refuses; only its owner can fix this. */
export function needsOwner(code: string): boolean {
  if (code === KEYS_UNREADABLE) return true
  const kind = errorCodeOf[code as StoreProblemCode] as ErrorCode | undefined
  return !UNCLEAR.has(code) && (kind === KEYS || kind === ADDRESS)
}

/** Failures that concern a key, so that new keys end them. */
export const KEY_PROBLEMS: readonly string[] = [
  ...STORE_PROBLEM_CODES.filter((code) => errorCodeOf[code] === KEYS),
  KEYS_UNREADABLE,
]

interface StoreAddresses {
  url?: string
  home_url: string
}

/** X1: only hosts that the platform reports for the store, including the port. */
export function isOnStoreHost(address: string | null | undefined, store: StoreAddresses): address is string {
  return listMatchingAddresses(address, store).length > 0
}

/** Also requires https where that host has it. For links with a cart or order key, which http would expose. */
export function isOnStoreOrigin(address: string | null | undefined, store: StoreAddresses): address is string {
  const reported = listMatchingAddresses(address, store)
  const isOpen = URL.parse(address ?? '')?.protocol === 'http:'
  return reported.some(({ protocol }) => !isOpen || protocol === 'http:')
}

/** The store's reported addresses with the same host. */
function listMatchingAddresses(address: string | null | undefined, { url, home_url }: StoreAddresses): URL[] {
  const target = address ? URL.parse(address) : null
  if (!target || !/^https?:$/.test(target.protocol)) return []
  return [url, home_url].flatMap((each) => (each && URL.parse(each)) || []).filter(({ host }) => host === target.host)
}

/** The store's name in messages. The shop chooses it, so foreign addresses and direction characters are removed. */
export function cleanStoreName(name: string, urls: readonly [string, ...string[]]): string {
  const [host, ...others] = urls.map((url) => new URL(url).hostname) as [string, ...string[]]
  return removeAddresses(removeInvisible(name), [host, ...others]) || host
}
