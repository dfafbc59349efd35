import type { z } from 'zod'
import { normalizeEmail, normalizePhone } from '../../../shared/core/contact.ts'
import { isStoringEverything } from '../../../shared/shoppers/capture-mode.ts'
import { isAlive, readPlugin } from '../../access/plugin/public.ts'
import {
  findNextWatermark,
  openStoreClient,
  pickNewest,
  readStore,
  SWEEP_OVERLAP_MS,
  subtractMs,
} from '../../access/stores/public.ts'
import { keepSlot, type ReleaseSlot, releaseForPages, requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  type DisplayedTax,
  type PlatformCustomer,
  type PlatformProduct,
  type ProductCategory,
  StoreProblem,
} from '../../platforms/platform/public.ts'
import { filterCustomers, recordStoreConsents } from '../../shoppers/consent/public.ts'
import { buildCustomerMark, linkCustomers, listCustomerKeys, lockAllKeys } from '../../shoppers/shoppers/public.ts'
import { closeUnseenCoupons, countInStore, refreshUses, saveCouponPage } from '../coupons/public.ts'
import type { customerJob, productsJob } from './jobs.ts'
import { isEmpty, numberedPages } from './pages.ts'
import { readRecord } from './record.ts'
import { isMissingPermission, OutOfTime, renewLease, runSyncJob, type SyncJob, type SyncResult } from './sync-jobs.ts'
import * as sql from './sync-sql.ts'

// Copies the store's customers, products and coupons. An interrupted listing resumes at its next page.

export interface PullOptions {
  storeId: string
  /** Read everything, not only changes. */
  isFull?: boolean
  signal?: AbortSignal
  releaseSlot?: ReleaseSlot
}

export function pullCustomers(deps: Deps, { storeId, signal, releaseSlot }: PullOptions): Promise<SyncResult> {
  return runSyncJob(deps, { storeId, stream: 'customers' }, async (run) => {
    const client = await openStoreClient(deps, run.store)
    const pages = numberedPages(
      (firstPage) => client.customers({ firstPage, ...(signal ? { signal } : {}) }),
      run.state.cursor_page ?? 1,
      signal,
    )
    let rowCount = 0
    for await (const page of withTimeLimit(pages, { signal, releaseSlot })) {
      await saveCustomers(run, page.rows)
      rowCount += page.rows.length
      await renewLease(run, { cursor_page: page.page + 1 })
    }
    return { rowCount }
  })
}

/** Copies customers and makes each a shopper. Takes the locks of erasure (C8) and of recording facts (Way B). */
async function saveCustomers(
  { deps, store, startedAt }: Pick<SyncJob, 'deps' | 'store' | 'startedAt'>,
  page: readonly PlatformCustomer[],
): Promise<void> {
  const { home_url, before_consent } = requireFound(await readStore(store), 'Store')
  const allowed = isStoringEverything(before_consent) ? page : await filterCustomers(deps, store, page)
  const rows = allowed.map((row) => buildCustomerRow(deps, store.storeId, row))
  const storeHost = new URL(home_url).hostname
  const records = rows.map(({ customer_id, email, phone }) => ({ customerId: customer_id, email, phone }))
  await transact(store, async (tx) => {
    await lockAllKeys(
      tx,
      records.flatMap((record) => listCustomerKeys(record, storeHost)),
    )
    const written = new Set(await sql.upsertCustomers(tx, toJson(rows), startedAt, deps.now()))
    const news = records.filter(({ customerId }) => written.has(customerId))
    await linkCustomers(tx, news, { storeHost, now: deps.now() })
  })
  // Opt-outs of all customers are stored, as hashes. Read only after a consent here, they would override that consent.
  await recordStoreConsents(deps, store, page)
}

/**
 * Reads changed customers of a platform that stores consents, so that an opt-out is known even if its webhook was lost
 * (Y2). A missing permission to read customers does not fail the sync.
 */
export async function readChangedCustomers(
  run: SyncJob,
  query: { modifiedSince: string; signal?: AbortSignal },
  releaseSlot?: ReleaseSlot,
) {
  const client = await openStoreClient(run.deps, run.store)
  try {
    for await (const page of withTimeLimit(client.customers(query), { signal: query.signal, releaseSlot })) {
      await saveCustomers(run, page.rows)
      await renewLease(run)
    }
  } catch (error) {
    if (!(error instanceof StoreProblem && isMissingPermission(error.code))) throw error
  }
}

/** Job for a webhook. */
export async function refreshCustomer(deps: Deps, payload: z.infer<typeof customerJob.payload>): Promise<void> {
  const store = { storeId: payload.storeId, db: deps.db }
  const customer = await readRecord(deps, store, (client, signal) => client.customer(payload.customerId, signal))
  if (customer) await saveCustomers({ deps, store, startedAt: deps.now() }, [customer])
}

/** Job for a webhook. */
export async function refreshProducts(
  deps: Deps,
  { storeId }: z.infer<typeof productsJob.payload>,
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<void> {
  await pullProducts(deps, { storeId, releaseSlot })
}

/** Records that these customers were signed in to the shop. */
export const recordActive = sql.recordActive

/** Only a listing read in one run, from first to last page, proves that a product is gone (Y2). */
export function pullProducts(deps: Deps, options: PullOptions): Promise<SyncResult> {
  const { storeId, signal, releaseSlot } = options
  return runSyncJob(deps, { storeId, stream: 'products' }, async (run) => {
    const { state, store, startedAt } = run
    const isFull = options.isFull || state.cursor_page !== null || !state.completed_at || !state.watermark
    const since = isFull ? {} : { modifiedSince: subtractMs(state.watermark!, SWEEP_OVERLAP_MS).toISOString() }
    const client = await openStoreClient(deps, store)
    const pages = numberedPages(
      (firstPage) =>
        client.products({
          firstPage,
          ...since,
          readDisplayedTax: () => readDisplayedTax(deps, store),
          ...(signal ? { signal } : {}),
        }),
      (isFull && state.cursor_page) || 1,
      signal,
    )
    let newest: Date | null = null
    let rowCount = 0
    for await (const page of withTimeLimit(pages, { signal, releaseSlot })) {
      if (isEmpty(page)) continue
      await sql.upsertProducts(store, toJson(page.rows.map(buildProductRow)), startedAt, deps.now())
      await sql.upsertCategories(store, toJson(listCategories(page.rows)), startedAt, deps.now())
      newest = pickNewest([newest, ...page.rows.map((row) => (row.modifiedAt ? new Date(row.modifiedAt) : null))])
      rowCount += page.rows.length
      await renewLease(run, isFull ? { cursor_page: page.page + 1 } : {})
    }
    if (isFull && state.cursor_page === null && rowCount > 0) await sql.closeUnseenProducts(store, startedAt)
    return { watermark: findNextWatermark(state.watermark, newest, startedAt), rowCount }
  })
}

/** With an active plugin the store is not queried: carts have the price that the plugin reports. */
async function readDisplayedTax({ now }: Pick<Deps, 'now'>, store: StoreDb<Db>): Promise<DisplayedTax> {
  const row = await readStore(store)
  const [entered, displayed] = [row?.prices_include_tax ?? null, row?.shows_tax ?? null]
  if (entered !== null && entered === displayed) return 'none'
  if (entered === null || displayed === null || isAlive(await readPlugin(store), now())) return 'unknown'
  return displayed ? 'added' : 'taken_off'
}

/** Up to this many coupons are all listed each time. Above it only changes are, and all once a day. */
const MAX_LISTED_COUPONS = 500

/** As with products, only a complete listing in one run proves that a coupon is gone (decision 30). */
export function pullCoupons(deps: Deps, options: PullOptions): Promise<SyncResult> {
  const { storeId, signal, releaseSlot } = options
  return runSyncJob(deps, { storeId, stream: 'coupons' }, async (run) => {
    const { state, store, startedAt } = run
    const { account_id: accountId, currency } = requireFound(await readStore(store), 'Store')
    const hasList = state.cursor_page === null && state.completed_at && state.watermark
    const isFull = options.isFull || !hasList || (await countInStore(store)) <= MAX_LISTED_COUPONS
    const since = isFull ? {} : { modifiedSince: subtractMs(state.watermark!, SWEEP_OVERLAP_MS).toISOString() }
    const client = await openStoreClient(deps, store)
    const pages = numberedPages(
      (firstPage) => client.coupons({ firstPage, currency, ...since, ...(signal ? { signal } : {}) }),
      (isFull && state.cursor_page) || 1,
      signal,
    )
    let newest: Date | null = null
    let rowCount = 0
    for await (const page of withTimeLimit(pages, { signal, releaseSlot })) {
      if (isEmpty(page)) continue
      await saveCouponPage(deps, store, page, { accountId, currency, at: startedAt })
      newest = pickNewest([newest, ...page.rows.map((row) => (row.modifiedAt ? new Date(row.modifiedAt) : null))])
      rowCount += page.rows.length
      await renewLease(run, isFull ? { cursor_page: page.page + 1 } : {})
    }
    if (isFull && state.cursor_page === null) await closeUnseenCoupons(deps, store, startedAt)
    if (!isFull) await refreshUses(store, client, currency, signal)
    return { watermark: findNextWatermark(state.watermark, newest, startedAt), rowCount }
  })
}

/** Throws OutOfTime when the caller's signal aborts, to distinguish that from an error of the store. */
export async function* withTimeLimit<P>(
  pages: AsyncIterable<P>,
  { signal, releaseSlot = keepSlot }: { signal: AbortSignal | undefined; releaseSlot: ReleaseSlot | undefined },
): AsyncGenerator<P> {
  try {
    for await (const page of releaseForPages(pages, releaseSlot)) {
      yield page
      signal?.throwIfAborted()
    }
  } catch (error) {
    if (signal?.aborted) throw new OutOfTime()
    throw error
  }
}

/** The hashes identify erased shoppers, who are not copied again (C8). */
function buildCustomerRow({ secrets }: Pick<Deps, 'secrets'>, storeId: string, row: PlatformCustomer) {
  const [email, phone] = [normalizeEmail(row.email), normalizePhone(row.phone, row.country)]
  return {
    customer_id: row.customerId,
    email,
    phone,
    hashes: [email, phone, buildCustomerMark(storeId, row.customerId)].flatMap((mark) =>
      mark ? secrets.addressHash(mark).toString('hex') : [],
    ),
    first_name: row.firstName,
    last_name: row.lastName,
    company: row.company,
    country: row.country,
    created_at: row.createdAt,
    modified_at: row.modifiedAt,
    last_login_at: row.lastLoginAt,
    orders_count: row.ordersCount ?? null,
    spent_minor: row.spentMinor ?? null,
  }
}

const MAX_STOCK = 2_000_000_000

function buildProductRow(row: PlatformProduct) {
  const stock = row.stockQuantity
  return {
    product_id: row.productId,
    variation_id: row.variationId ?? '',
    name: row.name,
    sku: row.sku,
    price_minor: row.priceMinor,
    entered_minor: row.enteredMinor ?? null,
    is_shown_unknown: row.isDisplayedUnknown ?? false,
    currency: row.currency,
    image_url: row.imageUrl,
    permalink: row.permalink,
    is_available: row.isAvailable,
    has_open_choice: row.hasOpenChoice ?? false,
    is_on_sale: row.isOnSale ?? null,
    category_ids: row.categories?.map(({ id }) => id) ?? null,
    stock_quantity: stock === null ? null : Math.trunc(Math.max(-MAX_STOCK, Math.min(MAX_STOCK, stock))),
    modified_at: row.modifiedAt,
  }
}

/** Categories without duplicates. */
const listCategories = (rows: readonly PlatformProduct[]): ProductCategory[] => [
  ...new Map(rows.flatMap((row) => row.categories ?? []).map((each) => [each.id, each])).values(),
]

/** Removes NUL and lone surrogates from names, which PostgreSQL's JSON refuses. */
function toJson(rows: object[]): string {
  return JSON.stringify(rows, (_, value) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
  )
}
