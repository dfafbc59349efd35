import { Readable } from 'node:stream'
import type { z } from 'zod'
import {
  type AnalyticsReply,
  analyticsTexts,
  type exportAnalytics,
  prepareAnalyticsExport,
  rangeDays,
  type TopProduct,
} from '../../../shared/analytics.ts'
import { CSV_START, csvLine } from '../../../shared/csv.ts'
import { type DownloadFile, formatPages, prepareDownload, storeDownload } from '../../access/http/downloads.ts'
import type { Session } from '../../access/members/session.ts'
import { readStore } from '../../access/stores/store.ts'
import { requireFeature } from '../../billing/billing/entitlements.ts'
import { requireFound } from '../../core/common/errors.ts'
import type { AccountDb, Db, StoreDb } from '../../core/db/db.ts'
import { takePoint } from '../../core/db/rate-limits.ts'
import type { Deps } from '../../deps.ts'
import { type Asked, readAnalytics, storesAsked } from '../../insights/analytics/analytics.ts'
import { presentProduct } from '../../insights/analytics/analytics-rules.ts'
import { pagesOfProducts, readDetails } from '../../insights/analytics/details.ts'
import { readRoi } from '../../insights/analytics/roi.ts'
import { readRateTrend, readRevenueTrend } from '../../insights/analytics/trends.ts'
import { readReach } from '../../marketing/manual-sends/reach.ts'
import { blocksOf, type FileBlock, productBlock, productCells } from './blocks.ts'
import { roiBlocks } from './roi-blocks.ts'

// Advanced Analytics as a CSV file (B 7, decision 100).

type Query = Pick<z.output<typeof exportAnalytics.query>, 'range' | 'stores' | 'currency'>
interface ExportInput {
  account: AccountDb<Db>
  store: StoreDb<Db>
  session: Session
  query: Query
}

const limit = { name: 'analytics-export', points: 30, windowS: 3_600 }

export const analyticsDownload = storeDownload({
  name: 'analytics',
  path: '/api/analytics/export/file',
  permission: prepareAnalyticsExport.permission,
  limit,
  what: prepareAnalyticsExport.query,
  read: async (deps, store, query) => {
    const { account_id: accountId } = requireFound(await readStore(store), 'Store')
    return fileOf(deps, { account: { accountId, db: store.db }, store, query })
  },
})

export async function prepareExport(deps: Deps, { account, store, session, query }: ExportInput) {
  await assertMayExport(deps, account)
  return prepareDownload(deps, analyticsDownload, { session, storeId: store.storeId, what: query })
}

export async function exportFile(deps: Deps, { session, ...wanted }: ExportInput): Promise<DownloadFile> {
  await assertMayExport(deps, wanted.account)
  await takePoint(deps, limit, session.userId)
  return fileOf(deps, wanted)
}

const assertMayExport = (deps: Deps, account: AccountDb) =>
  requireFeature(account, deps.now(), { feature: 'analytics_export', sentence: analyticsTexts.exportPlan })

/** Reads everything that can fail before the file starts; products are streamed. */
async function fileOf(deps: Deps, { account, store, query }: Omit<ExportInput, 'session'>): Promise<DownloadFile> {
  await assertMayExport(deps, account)
  const now = deps.now()
  const { range } = query
  const asked: Asked = { account, store, query, range, now, isFile: true }
  const isAll = query.stores === 'all'
  const { rows: stores } = await storesAsked(asked)
  const [figures, details, rates, revenue, roi, reach] = await Promise.all([
    readAnalytics(asked),
    readDetails(asked),
    readRateTrend(asked),
    readRevenueTrend(asked),
    readRoi(asked),
    isAll ? null : readReach(deps, store, { days: rangeDays[range] }),
  ])
  const blocks = blocksOf({ stores, range, exportedAt: now, figures, details, rates, revenue, reach })
  const { currency } = figures
  const lineOfProduct = (product: TopProduct) => csvLine(productCells(product))
  const products = isAll
    ? formatPages(listTopProducts(figures), lineOfProduct)
    : formatPages(pagesOfProducts(asked), (row) => lineOfProduct(presentProduct(row, currency)))
  const lines = linesOf([...blocks, ...roiBlocks(roi)], productBlock(currency), products)
  return {
    fileName: `analytics-${isAll ? 'all-stores' : stores[0]!.platform}-${range}.csv`,
    type: 'text/csv; charset=utf-8',
    content: Readable.from(lines, { objectMode: false }),
  }
}

/** For several stores, the ten products of the screen. */
async function* listTopProducts({ topProducts }: AnalyticsReply) {
  yield topProducts ?? []
}

async function* linesOf(
  blocks: readonly FileBlock[],
  last: FileBlock,
  rows: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(CSV_START + [...blocks, last].map(textOf).join('\r\n'))
  yield* rows
}

const textOf = ({ title, columns, rows }: FileBlock): string =>
  [[title], columns.map(([name]) => name), columns.map(([, definition]) => definition), ...rows].map(csvLine).join('')
