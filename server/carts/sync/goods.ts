import { setTimeout as sleep } from 'node:timers/promises'
import {
  KEYS_UNREADABLE,
  PLUGIN_OUTDATED,
  STOCK_UNREPORTED,
  STORE_PROBLEM_TEXT,
} from '../../../shared/access/store-problems.ts'
import { canBeRead, isReporting, type PluginRow, readReportedTerms } from '../../access/plugin/public.ts'
import { computeNextTry, ORDER_CHECK_LIMIT_MS, openStoreClient, readStore } from '../../access/stores/public.ts'
import { AppError, keepSlot, type ReleaseSlot } from '../../core/common/public.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type ItemRef, type ItemTerms, type StoreClient, StoreProblem } from '../../platforms/platform/public.ts'
import { type StoredCoupon, saveStoreState, selectStoredCoupons } from '../coupons/public.ts'
import { clearFailure, readFailure, recordFailure } from './failures-sql.ts'
import * as sql from './sync-sql.ts'
import { readPushOnlyPlugin } from './unreachable.ts'

// Reads stock and prices of a batch's items with its order check (D3).

export interface Terms {
  isAvailable: boolean
  /** As shown on the shop's pages; null: unknown. */
  priceMinor: number | null
  /** The catalogue price, if it differs. */
  enteredMinor?: number
  /** Price before the last change; null: no known change. */
  wasMinor: number | null
  /** null: unknown. */
  isOnSale?: boolean | null
  currency: string
}

/** Terms by `buildGoodsKey`, or the store's failure. */
export type Goods =
  /** From the plugin's reports: `missing` says why an item has no terms, `readAt` is the oldest report's time. */
  { terms: ReadonlyMap<string, Terms>; missing?: string; readAt?: Date | null } | Failure

interface Failure {
  problem: string
  detail: string | null
  nextTryAt: Date
}

export const buildGoodsKey = ({ productId, variationId }: ItemRef): string => `${productId}:${variationId ?? ''}`

export const NO_GOODS: Goods = { terms: new Map() }

/**
 * Never throws for an error of the store. Does not query a store whose order check did not succeed, or that just
 * failed. For an unreachable shop the plugin's reports count; it reports missing items with its next heartbeat.
 */
export async function readGoods(
  deps: Pick<Deps, 'db' | 'now' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
  items: readonly ItemRef[],
  { isChecked, releaseSlot = keepSlot }: { isChecked: boolean; releaseSlot?: ReleaseSlot },
): Promise<Goods> {
  if (items.length === 0) return NO_GOODS
  const plugin = await readPushOnlyPlugin(store)
  if (plugin && !(isChecked && canBeRead(plugin, deps.now()))) return readReportedGoods(deps, store, items, plugin)
  if (!isChecked) return NO_GOODS
  return (
    (await queryStore(deps, store, 'goods_check', async ({ client, currency, signal }): Promise<Goods> => {
      const found = await releaseSlot(() => client.terms({ items, currency, signal }))
      signal.throwIfAborted()
      return { terms: await saveTerms(store, items, found, currency) }
    })) ?? NO_GOODS
  )
}

async function readReportedGoods(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  items: readonly ItemRef[],
  { reports_goods }: PluginRow,
): Promise<Goods> {
  const row = await readStore(store)
  if (!row) return NO_GOODS
  const { found, readAt } = await readReportedTerms(store, items, deps.now())
  const terms = await saveTerms(store, found, found, row.currency)
  return { terms, readAt, missing: reports_goods === false ? PLUGIN_OUTDATED : STOCK_UNREPORTED }
}

/** Called while a shopper waits, so it gives up soon. A failure does not delay messages. */
export async function refreshGoods(
  deps: Pick<Deps, 'db' | 'now' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
  items: readonly ItemRef[],
): Promise<void> {
  if (await readPushOnlyPlugin(store)) return
  const ask = async ({ client, currency, signal }: StoreRequest): Promise<null> => {
    const found = await client.terms({ items, currency, signal })
    await saveTerms(store, items, found, currency)
    return null
  }
  const read = queryStore(deps, store, 'goods_check', ask, { isNoted: false })
  await Promise.race([read, sleep(SHOPPER_WAIT_MS, null, { ref: false })])
}

const SHOPPER_WAIT_MS = 3_000

/** Reason why a coupon could not be read. */
export type UnreadCoupon =
  /** A retry may succeed. */
  | { problem: string; detail: string | null; nextTryAt: Date }
  /** The answer is unreadable or refused. */
  | { problem: null; detail: string }

/** By coupon id, or by message id for a personal code. */
export type UnreadCoupons = ReadonlyMap<string, UnreadCoupon>

export const NONE_UNREAD: UnreadCoupons = new Map()

/**
 * Reads the coupons and personal codes of these messages from the store and updates our copy. Returns those that could
 * not be read; they hold only their own messages. A store that fails at coupons is not asked for them for a while.
 */
export async function readCoupons(
  deps: Pick<Deps, 'db' | 'now' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
  messageIds: readonly string[],
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<UnreadCoupons> {
  const coupons = await selectStoredCoupons(store, messageIds)
  if (coupons.length === 0) return NONE_UNREAD
  const all = (unread: UnreadCoupon): UnreadCoupons => new Map(coupons.map((each) => [getCouponKey(each), unread]))
  const read = await queryStore(deps, store, 'coupon_check', async ({ client, accountId, currency, signal }) => {
    const at = deps.now()
    const ids = [...new Set(coupons.map(({ platform_id }) => platform_id))]
    const { rows: found, skipped } = await releaseSlot(() => client.couponsById({ ids, currency, signal }))
    signal.throwIfAborted()
    const reasons = new Map(skipped.map(({ id, reason }) => [id, reason]))
    const isUnread = ({ platform_id }: StoredCoupon) => reasons.has(platform_id)
    const answered = coupons.filter((each) => !isUnread(each))
    await saveStoreState(deps, store, answered, { found, accountId, currency, at })
    return new Map(
      coupons
        .filter(isUnread)
        .map((each) => [getCouponKey(each), { problem: null, detail: reasons.get(each.platform_id)! }]),
    )
  })
  if (read === null) return NONE_UNREAD
  if (!('problem' in read)) return read
  const unread = toUnreadCoupon(read)
  // An unreachable shop will not answer soon, and the message would expire.
  if (unread.problem !== null && (await isUnreachableForLong(deps, store)))
    return all({ problem: null, detail: NOT_REPORTED })
  return all(unread)
}

/** Longest outage to wait for. */
const MAX_OUTAGE_MS = 2 * 3_600_000

async function isUnreachableForLong(deps: Pick<Deps, 'now'>, store: StoreDb): Promise<boolean> {
  const plugin = await readPushOnlyPlugin(store)
  const since = plugin?.unreached_since
  return !!since && isReporting(plugin, deps.now()) && deps.now().getTime() - since.getTime() > MAX_OUTAGE_MS
}

const NOT_REPORTED = 'The plugin does not report coupons.'

const getCouponKey = ({ coupon_id, message_id }: StoredCoupon): string => coupon_id ?? message_id!

/** A missing permission does not heal by waiting. */
function toUnreadCoupon(failure: Failure): UnreadCoupon {
  if (failure.problem !== 'no_rights') return failure
  return { problem: null, detail: failure.detail ?? STORE_PROBLEM_TEXT.no_rights.sentence }
}

interface StoreRequest {
  client: StoreClient
  accountId: string
  currency: string
  signal: AbortSignal
}

/** Runs a read of the batch unless the last one just failed. null: the store is not connected. */
async function queryStore<Answer>(
  deps: Pick<Deps, 'db' | 'now' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
  stream: 'goods_check' | 'coupon_check',
  ask: (asking: StoreRequest) => Promise<Answer>,
  { isNoted = true }: { isNoted?: boolean } = {},
): Promise<Answer | Failure | null> {
  const known = await readFailure(store, stream)
  const nextTryAt = known ? computeNextTry(known, deps.now()) : deps.now()
  if (known?.error_code && nextTryAt > deps.now()) {
    return { problem: known.error_code, detail: known.error_detail, nextTryAt }
  }
  const signal = AbortSignal.timeout(ORDER_CHECK_LIMIT_MS)
  try {
    const row = await readStore(store)
    if (!row) return null
    const client = await openStoreClient(deps, store)
    const answer = await ask({ client, accountId: row.account_id, currency: row.currency, signal })
    if (known?.error_code) await clearFailure(store, stream, deps.now())
    return answer
  } catch (error) {
    const failure = describeFailure(error, signal)
    if (!failure) throw error
    // The decision reports a disconnected store itself.
    if (failure === 'not connected') return null
    const now = deps.now()
    if (!isNoted) return { problem: failure.code, detail: failure.detail, nextTryAt: now }
    const noted = await recordFailure(store, { stream, problem: failure.code, detail: failure.detail, now })
    return { problem: failure.code, detail: failure.detail, nextTryAt: computeNextTry(noted, now) }
  }
}

function describeFailure(error: unknown, signal: AbortSignal) {
  if (error instanceof StoreProblem) return { code: error.code as string, detail: error.detail }
  if (signal.aborted) return { code: 'timeout', detail: null }
  if (!(error instanceof AppError)) return null
  return error.code === 'store_credentials' ? { code: KEYS_UNREADABLE, detail: null } : 'not connected'
}

/** Items that the store did not return are gone. Updates our catalogue too. */
async function saveTerms(
  store: StoreDb<Db>,
  items: readonly ItemRef[],
  found: readonly ItemTerms[],
  currency: string,
): Promise<Map<string, Terms>> {
  const byKey = new Map(found.map((each) => [buildGoodsKey(each), each]))
  const goods = [...new Map(items.map((item) => [buildGoodsKey(item), item])).entries()]
  const rows = goods.map(([key, { productId, variationId }]) => {
    const terms = byKey.get(key)
    return {
      product_id: productId,
      variation_id: variationId ?? '',
      is_available: terms?.isAvailable ?? false,
      price_minor: terms?.priceMinor ?? null,
      is_on_sale: terms?.isOnSale ?? null,
      stock_quantity: terms?.stockQuantity ?? null,
    }
  })
  const was = new Map((await sql.updateTerms(store, rows)).map((row) => [`${row.product_id}:${row.variation_id}`, row]))
  return new Map(
    rows.map((row) => {
      const key = `${row.product_id}:${row.variation_id}`
      const copy = was.get(key)
      const { is_available: isAvailable, price_minor: entered, is_on_sale: isOnSale } = row
      const priceMinor = entered === null ? null : (copy?.price_minor ?? entered)
      const terms = { isAvailable, priceMinor, wasMinor: copy?.was_price_minor ?? null, isOnSale, currency }
      return [key, entered !== null && entered !== priceMinor ? { ...terms, enteredMinor: entered } : terms]
    }),
  )
}
