import { setTimeout as sleep } from 'node:timers/promises'
import { KEYS_UNREADABLE, PLUGIN_OUTDATED, STOCK_UNREPORTED, STORE_PROBLEM_TEXT } from '../../../shared/store-problems.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { inPlace, type StepAside } from '../../core/common/seats.ts'
import { keepStanding, standingOf, type ToRead } from '../coupons/for-messages.ts'
import type { Deps } from '../../deps.ts'
import type { ItemRef, ItemTerms, StoreClient } from '../../platforms/platform/platform.ts'
import { StoreProblem } from '../../platforms/platform/store-problem.ts'
import { readReportedTerms } from '../../access/plugin/goods.ts'
import type { PluginRow } from '../../access/plugin/plugin.ts'
import { isReporting, mayBeAsked } from '../../access/plugin/rules.ts'
import { storeAccess } from '../../access/stores/access.ts'
import { nextTry, ORDER_CHECK_LIMIT_MS } from '../../access/stores/rules.ts'
import { readStore } from '../../access/stores/store.ts'
import { forgetFailure, noteFailure, readFailure } from './failures-sql.ts'
import { pushOnlyPlugin } from './push-only.ts'
import * as sql from './sync-sql.ts'

// D3: stock and price of a batch's items are read with its order check.

export interface Terms {
  isAvailable: boolean
  /** As the shop's pages show it. null: the store says none. */
  priceMinor: number | null
  /** Where that is another than the one in its catalogue. */
  enteredMinor?: number
  /** What it was before it last changed; null: it never did, as far as is known. */
  wasMinor: number | null
  /** null: the store does not say. */
  isOnSale?: boolean | null
  currency: string
}

/** Terms by `goodsKey`; or what the store did wrong. */
export type Goods =
  /** Where the store was not asked itself: why an item may have none (`missing`), and when the oldest of them was read. */
  { terms: ReadonlyMap<string, Terms>; missing?: string; readAt?: Date | null } | Failure

interface Failure {
  problem: string
  detail: string | null
  nextTryAt: Date
}

export const goodsKey = ({ productId, variationId }: ItemRef): string => `${productId}:${variationId ?? ''}`

export const NO_GOODS: Goods = { terms: new Map() }

/**
 * Never throws for what a store does wrong. A store whose orders have not just been read is not asked for more, and one that has just failed
 * is left alone with it for a while. Of a shop that is not reached the reports of its plugin count, which is asked for what is missing with
 * its next beat.
 */
export async function readGoods(
  deps: Deps,
  store: StoreDb<Db>,
  items: readonly ItemRef[],
  { isChecked, stepAside = inPlace }: { isChecked: boolean; stepAside?: StepAside },
): Promise<Goods> {
  if (items.length === 0) return NO_GOODS
  const plugin = await pushOnlyPlugin(store)
  if (plugin && !(isChecked && mayBeAsked(plugin, deps.now()))) return reportedGoods(deps, store, items, plugin)
  if (!isChecked) return NO_GOODS
  return (
    (await askWithBatch(deps, store, 'goods_check', async ({ client, currency, signal }): Promise<Goods> => {
      const found = await stepAside(() => client.terms({ items, currency, signal }))
      signal.throwIfAborted()
      return { terms: await keepTerms(store, items, found, currency) }
    })) ?? NO_GOODS
  )
}

async function reportedGoods(
  deps: Deps,
  store: StoreDb<Db>,
  items: readonly ItemRef[],
  { reports_goods }: PluginRow,
): Promise<Goods> {
  const row = await readStore(store)
  if (!row) return NO_GOODS
  const { found, readAt } = await readReportedTerms(store, items, deps.now())
  const terms = await keepTerms(store, found, found, row.currency)
  return { terms, readAt, missing: reports_goods === false ? PLUGIN_OUTDATED : STOCK_UNREPORTED }
}

/** A shopper waits for it: a store that does not answer soon is done without, and no message waits longer because of it. */
export async function refreshGoods(deps: Deps, store: StoreDb<Db>, items: readonly ItemRef[]): Promise<void> {
  if (await pushOnlyPlugin(store)) return
  const ask = async ({ client, currency, signal }: Asking): Promise<null> => {
    const found = await client.terms({ items, currency, signal })
    await keepTerms(store, items, found, currency)
    return null
  }
  const read = askWithBatch(deps, store, 'goods_check', ask, { isNoted: false })
  await Promise.race([read, sleep(SHOPPERS_PATIENCE_MS, null, { ref: false })])
}

const SHOPPERS_PATIENCE_MS = 3_000

/** What the store did not tell of a coupon. */
export type UnreadCoupon =
  /** It may do so later. */
  | { problem: string; detail: string | null; nextTryAt: Date }
  /** It answers what cannot be read, or refuses the answer. */
  | { problem: null; detail: string }

/** By the id of a coupon, or of the message whose personal code it is. */
export type UnreadCoupons = ReadonlyMap<string, UnreadCoupon>

export const NONE_UNREAD: UnreadCoupons = new Map()

/**
 * The coupons that these messages are to carry, and their personal codes, as the store has them now; the copy follows. Answers those of which
 * nothing was learned: they hold nobody else's message. A store that fails at coupons alone is left alone with them for a while.
 */
export async function readCoupons(
  deps: Deps,
  store: StoreDb<Db>,
  messageIds: readonly string[],
  stepAside: StepAside = inPlace,
): Promise<UnreadCoupons> {
  const asked = await standingOf(store, messageIds)
  if (asked.length === 0) return NONE_UNREAD
  const all = (unread: UnreadCoupon): UnreadCoupons => new Map(asked.map((each) => [keyOf(each), unread]))
  const read = await askWithBatch(deps, store, 'coupon_check', async ({ client, accountId, currency, signal }) => {
    const at = deps.now()
    const ids = [...new Set(asked.map(({ platform_id }) => platform_id))]
    const { rows: found, skipped } = await stepAside(() => client.couponsById({ ids, currency, signal }))
    signal.throwIfAborted()
    const reasons = new Map(skipped.map(({ id, reason }) => [id, reason]))
    const isUnread = ({ platform_id }: ToRead) => reasons.has(platform_id)
    const told = asked.filter((each) => !isUnread(each))
    await keepStanding(deps, store, told, { found, accountId, currency, at })
    return new Map(
      asked.filter(isUnread).map((each) => [keyOf(each), { problem: null, detail: reasons.get(each.platform_id)! }]),
    )
  })
  if (read === null) return NONE_UNREAD
  if (!('problem' in read)) return read
  const unread = unreadBy(read)
  // Waiting for a shop that stays out of reach would only let the message expire.
  if (unread.problem !== null && (await onlyReportsForLong(deps, store)))
    return all({ problem: null, detail: NOT_REPORTED })
  return all(unread)
}

/** So long an outage may last. */
const OUTAGE_MS = 2 * 3_600_000

async function onlyReportsForLong(deps: Deps, store: StoreDb): Promise<boolean> {
  const plugin = await pushOnlyPlugin(store)
  const since = plugin?.unreached_since
  return !!since && isReporting(plugin, deps.now()) && deps.now().getTime() - since.getTime() > OUTAGE_MS
}

const NOT_REPORTED = 'The plugin does not report coupons.'

const keyOf = ({ coupon_id, message_id }: ToRead): string => coupon_id ?? message_id!

/** A key that may not read coupons is not given the right by waiting. */
function unreadBy(failure: Failure): UnreadCoupon {
  if (failure.problem !== 'no_rights') return failure
  return { problem: null, detail: failure.detail ?? STORE_PROBLEM_TEXT.no_rights.sentence }
}

interface Asking {
  client: StoreClient
  accountId: string
  currency: string
  signal: AbortSignal
}

/** What is read with a batch's order check, unless that has just failed. null: there is no connected store. */
async function askWithBatch<Answer>(
  deps: Deps,
  store: StoreDb<Db>,
  stream: 'goods_check' | 'coupon_check',
  ask: (asking: Asking) => Promise<Answer>,
  { isNoted = true }: { isNoted?: boolean } = {},
): Promise<Answer | Failure | null> {
  const known = await readFailure(store, stream)
  const nextTryAt = known ? nextTry(known, deps.now()) : deps.now()
  if (known?.error_code && nextTryAt > deps.now()) {
    return { problem: known.error_code, detail: known.error_detail, nextTryAt }
  }
  const signal = AbortSignal.timeout(ORDER_CHECK_LIMIT_MS)
  try {
    const row = await readStore(store)
    if (!row) return null
    const client = await storeAccess(deps, store)
    const answer = await ask({ client, accountId: row.account_id, currency: row.currency, signal })
    if (known?.error_code) await forgetFailure(store, stream, deps.now())
    return answer
  } catch (error) {
    const failure = failureOf(error, signal)
    if (!failure) throw error
    // Of a store that is not connected any more the decision itself says so.
    if (failure === 'not connected') return null
    const now = deps.now()
    if (!isNoted) return { problem: failure.code, detail: failure.detail, nextTryAt: now }
    const noted = await noteFailure(store, { stream, problem: failure.code, detail: failure.detail, now })
    return { problem: failure.code, detail: failure.detail, nextTryAt: nextTry(noted, now) }
  }
}

function failureOf(error: unknown, signal: AbortSignal) {
  if (error instanceof StoreProblem) return { code: error.code as string, detail: error.detail }
  if (signal.aborted) return { code: 'timeout', detail: null }
  if (!(error instanceof AppError)) return null
  return error.code === 'store_credentials' ? { code: KEYS_UNREADABLE, detail: null } : 'not connected'
}

/** What the store does not name is not there any more. The catalogue's copy follows. */
async function keepTerms(
  store: StoreDb<Db>,
  items: readonly ItemRef[],
  found: readonly ItemTerms[],
  currency: string,
): Promise<Map<string, Terms>> {
  const byKey = new Map(found.map((each) => [goodsKey(each), each]))
  const wanted = [...new Map(items.map((item) => [goodsKey(item), item])).entries()]
  const rows = wanted.map(([key, { productId, variationId }]) => {
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
  const was = new Map((await sql.keepTerms(store, rows)).map((row) => [`${row.product_id}:${row.variation_id}`, row]))
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
