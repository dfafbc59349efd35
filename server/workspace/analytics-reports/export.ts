import { Readable } from 'node:stream'
import type { z } from 'zod'
import { analyticsChannels, type CartReach, reasonLabels } from '../../../shared/carts/reach.ts'
import type { CsvCell } from '../../../shared/core/csv.ts'
import { CSV_START, formatCodeCell, formatCsvLine } from '../../../shared/core/csv.ts'
import type { AnalyticsDetails, AnalyticsRange, Roi, Trend } from '../../../shared/insights/analytics.ts'
import {
  type AnalyticsReply,
  analyticsTexts,
  type exportAnalytics,
  funnelChannels,
  prepareAnalyticsExport,
  rangeDays,
  type TopProduct,
} from '../../../shared/insights/analytics.ts'
import {
  buildFunnelDefinitions,
  definitions,
  getChannelLabel,
  getCountryName,
  getDeviceName,
  getHourLabel,
  getShopperName,
  hasDevices,
  sourceNames,
} from '../../../shared/insights/analytics-definitions.ts'
import { computeReturn } from '../../../shared/insights/roi.ts'
import { type PlatformName, platformNames, type StoreRights } from '../../../shared/platforms/platforms.ts'
import { type DownloadFile, formatPages, prepareDownload, storeDownload } from '../../access/http/public.ts'
import type { Session } from '../../access/members/public.ts'
import { readStore } from '../../access/stores/public.ts'
import { requireFeature } from '../../billing/billing/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { type AccountDb, type Db, type StoreDb, takePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  listRequestedStores,
  pagesOfProducts,
  presentProduct,
  type RangeQuery,
  readAnalytics,
  readDetails,
  readRateTrend,
  readRevenueTrend,
  readRoi,
} from '../../insights/analytics/public.ts'
import { readReach } from '../../marketing/manual-sends/public.ts'

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
    return buildFile(deps, { account: { accountId, db: store.db }, store, query })
  },
})

export async function prepareExport(
  deps: Pick<Deps, 'now' | 'pool' | 'secrets'>,
  { account, store, session, query }: ExportInput,
) {
  await assertMayExport(deps, account)
  return prepareDownload(deps, analyticsDownload, { session, storeId: store.storeId, what: query })
}

export async function exportFile(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'pool' | 'renders' | 'secrets'>,
  { session, ...request }: ExportInput,
): Promise<DownloadFile> {
  await assertMayExport(deps, request.account)
  await takePoint(deps, limit, session.userId)
  return buildFile(deps, request)
}

const assertMayExport = (deps: Pick<Deps, 'now'>, account: AccountDb) =>
  requireFeature(account, deps.now(), { feature: 'analytics_export', sentence: analyticsTexts.exportPlan })

/** Reads everything that can fail before the file starts; products are streamed. */
async function buildFile(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  { account, store, query }: Omit<ExportInput, 'session'>,
): Promise<DownloadFile> {
  await assertMayExport(deps, account)
  const now = deps.now()
  const { range } = query
  const rangeQuery: RangeQuery = { account, store, query, range, now, isFile: true }
  const isAll = query.stores === 'all'
  const { rows: stores } = await listRequestedStores(rangeQuery)
  const [figures, details, rates, revenue, roi, reach] = await Promise.all([
    readAnalytics(rangeQuery),
    readDetails(rangeQuery),
    readRateTrend(rangeQuery),
    readRevenueTrend(rangeQuery),
    readRoi(rangeQuery),
    isAll ? null : readReach(deps, store, { days: rangeDays[range] }),
  ])
  const blocks = buildBlocks({ stores, range, exportedAt: now, figures, details, rates, revenue, reach })
  const { currency } = figures
  const lineOfProduct = (product: TopProduct) => formatCsvLine(productCells(product))
  const products = isAll
    ? formatPages(listTopProducts(figures), lineOfProduct)
    : formatPages(pagesOfProducts(rangeQuery), (row) => lineOfProduct(presentProduct(row, currency)))
  const lines = streamLines([...blocks, ...roiBlocks(roi)], buildProductBlock(currency), products)
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

async function* streamLines(
  blocks: readonly FileBlock[],
  last: FileBlock,
  rows: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(CSV_START + [...blocks, last].map(formatBlock).join('\r\n'))
  yield* rows
}

const formatBlock = ({ title, columns, rows }: FileBlock): string =>
  [[title], columns.map(([name]) => name), columns.map(([, definition]) => definition), ...rows]
    .map(formatCsvLine)
    .join('')

// ROI Tracking in the file: costs of messages and plan, and their revenue (decisions 100 and 154). Pure.

function roiBlocks({ months, channels, origins, currency, ...others }: Roi): FileBlock[] {
  const amount = (name: string) => `${name} (${currency})`
  const [revenue, cost, profit, discounts] = [
    [amount('Attributed revenue'), definitions.roiRevenue],
    [amount('Message cost'), definitions.messageCost],
    [amount('Net gain'), definitions.whatIsLeft],
    [amount('Discounts given'), definitions.discountsGiven],
  ] as const
  const rate = ['Return', definitions.roiReturn] as const
  const cells = (row: Roi['channels'][number] | Roi['origins'][number]): CsvCell[] => {
    const { profit: rest, rate: back } = computeReturn(row)
    return [row.attributedRevenue, row.messageCost, rest, back, row.discounts]
  }
  return [
    {
      title: 'ROI Tracking by month',
      columns: [
        ['Month', 'By the store’s calendar, up to 12. The last one is still running.'],
        revenue,
        cost,
        [amount('Plan'), definitions.planPrice] as const,
        profit,
        rate,
        discounts,
      ],
      rows: months.map((month) => {
        const { profit: rest, rate: back } = computeReturn(month)
        return [month.month, month.attributedRevenue, month.messageCost, month.planPrice, rest, back, month.discounts]
      }),
    },
    {
      title: 'ROI Tracking by channel',
      columns: [['Channel', 'Of the messages of the range.'], revenue, cost, profit, rate, discounts],
      rows: channels.map((row) => [getChannelLabel(row.channel), ...cells(row)]),
    },
    {
      title: 'ROI Tracking by flow and campaign',
      columns: [['Sent by', 'The flow, the campaign, or a member.'], revenue, cost, profit, rate, discounts],
      rows: origins.map((row) => [row.name, ...cells(row)]),
    },
    ...otherCosts(others),
  ]
}

function otherCosts({ otherCosts: ofRange }: Pick<Roi, 'otherCosts'>): FileBlock[] {
  if (ofRange.length === 0) return []
  return [
    {
      title: 'Costs in other currencies',
      columns: [
        ['Currency', 'Not added to any other figure.'],
        ['Message cost', definitions.messageCost],
      ],
      rows: ofRange.map((each) => [each.currency, each.messageCost]),
    },
  ]
}

// Blocks of the Advanced Analytics file: column names with definitions, and rows (decision 100). Rates are fractions.
// Pure.

interface FileBlock {
  title: string
  columns: readonly Column[]
  rows: readonly (readonly CsvCell[])[]
}
type Column = readonly [name: string, definition: string]

interface Figures {
  /** One store, or all that are added up. */
  stores: readonly { name: string; platform: PlatformName; rights: StoreRights | null }[]
  range: AnalyticsRange
  exportedAt: Date
  figures: AnalyticsReply
  details: AnalyticsDetails
  rates: Trend
  revenue: Trend
  /** null: several stores. */
  reach: CartReach | null
}

function buildBlocks(all: Figures): FileBlock[] {
  const { figures, details } = all
  const { currency } = figures
  return [
    aboutBlock(all),
    figureBlock(figures),
    funnelBlock(figures),
    ...emailBlock(figures, details),
    trendBlock('Recovery rate', all.rates, [definitions.trendRecovery, definitions.trendAbandonment]),
    trendBlock('Revenue', all.revenue, [definitions.trendRevenue, definitions.trendOpportunity]),
    ...customerBlock(figures),
    ...platformBlock(figures),
    buildSourceBlock(details),
    buildHourBlock(details),
    ...(all.reach ? [buildReachBlock(all.reach)] : []),
    shareBlock(
      { title: 'By country', currency },
      ['Country', definitions.country],
      nameShares(details.countries, getCountryName),
    ),
    shareBlock(
      { title: 'New and returning shoppers', currency },
      ['Shopper', definitions.shopper],
      nameShares(details.shoppers, getShopperName),
    ),
    ...(hasDevices(details)
      ? [
          shareBlock(
            { title: 'By device', currency },
            ['Device', definitions.device],
            nameShares(details.devices, getDeviceName),
          ),
        ]
      : []),
    buildOriginBlock(details),
    ...otherBlock(figures),
  ]
}

/** Decision 135. */
const describeOrderHistory = ({ rights }: Figures['stores'][number]) =>
  `Since ${rights?.hasAllOrders === false ? SIXTY_DAYS : IMPORT_DAYS} days before connecting`

const SIXTY_DAYS = 60
const IMPORT_DAYS = 90

const BEING_COUNTED = 'Still being counted: these figures are incomplete'

function aboutBlock({ stores, range, exportedAt, figures }: Figures): FileBlock {
  return {
    title: 'Advanced Analytics',
    columns: [
      ['Store', 'The store of these figures.'],
      ['Platform', 'The store’s platform.'],
      ['Range', 'Days of the store’s calendar, including today.'],
      ['First day', 'By the store’s calendar.'],
      ['Last day', 'Today so far.'],
      ['Time zone', 'Of the store’s calendar.'],
      ['Currency', 'Of all amounts. Other currencies are never added.'],
      ['Orders known', 'How far back orders were imported.'],
      ['Counted up to', 'Later changes are not included. Empty: all are included.'],
      ['Exported', 'When the figures were read.'],
    ],
    rows: [
      [
        joinNames(stores.map(({ name }) => name)),
        joinNames(stores.map(({ platform }) => platformNames[platform])),
        range,
        figures.firstDay,
        figures.lastDay,
        figures.timeZone,
        figures.currency,
        joinNames(stores.map(describeOrderHistory)),
        figures.isBeingCounted ? BEING_COUNTED : figures.countedUntil,
        exportedAt.toISOString(),
      ],
    ],
  }
}

const joinNames = (names: readonly string[]) => [...new Set(names)].join(', ')

const amount = (name: string, currency: string) => `${name} (${currency})`

function figureBlock(of: AnalyticsReply): FileBlock {
  return {
    title: 'Figures',
    columns: [
      [amount('Revenue opportunity', of.currency), definitions.revenueOpportunity],
      ['Change of revenue opportunity', definitions.change],
      [amount('Average cart value', of.currency), definitions.averageCartValue],
      ['Change of average cart value', definitions.change],
      ['Abandonment rate', definitions.abandonmentRate],
      ['Change of abandonment rate', definitions.change],
      [amount('Customer lifetime value', of.currency), definitions.customerLifetimeValue],
      ['Change of customer lifetime value', definitions.lifetimeChange],
    ],
    rows: [
      [
        of.revenueOpportunity,
        of.revenueOpportunityChange,
        of.averageCartValue,
        of.averageCartValueChange,
        of.abandonmentRate,
        of.abandonmentRateChange,
        of.customerLifetimeValue,
        of.customerLifetimeValueChange,
      ],
    ],
  }
}

const hasOpens = (channel: string) => channel === 'all' || channel === 'email'

function funnelBlock({ funnels }: AnalyticsReply): FileBlock {
  const means = buildFunnelDefinitions('all')
  return {
    title: 'Conversion Funnel',
    columns: [
      ['Channel', 'Channel of the messages. Each stage counts carts separately.'],
      ['Carts created', means.cartsCreated],
      ['Sent', means.emailsSent],
      ['Opened', means.emailsOpened],
      ['Clicks', means.clicks],
      ['Conversions', means.conversions],
    ],
    rows: funnelChannels
      .filter((channel) => hasOpens(channel) || funnels[channel].emailsSent > 0)
      .map((channel) => {
        const { cartsCreated, emailsSent, emailsOpened, clicks, conversions } = funnels[channel]
        const opened = hasOpens(channel) ? emailsOpened : null
        return [
          channel === 'all' ? 'All' : getChannelLabel(channel),
          cartsCreated,
          emailsSent,
          opened,
          clicks,
          conversions,
        ]
      }),
  }
}

const buildMessageColumns = (currency: string, bounced: string = definitions.bouncedLater): readonly Column[] => [
  ['Sent', definitions.accepted],
  ['Open rate', definitions.openRate],
  ['Click rate', definitions.messageClickRate],
  ['Conversion rate', definitions.messageConversionRate],
  [amount('Revenue per message', currency), definitions.revenuePerMessage],
  [amount('Attributed revenue', currency), definitions.attributedRevenue],
  ['Bounced', bounced],
  ['Unsubscribed', definitions.unsubscribed],
  ['Complaints', definitions.complaints],
]

const buildMessageCells = (of: Omit<NonNullable<AnalyticsReply['email']>, 'refused'>, isEmail: boolean): CsvCell[] => [
  of.accepted,
  isEmail ? of.openRate : null,
  of.clickRate,
  of.conversionRate,
  of.revenuePerEmail,
  of.attributedRevenue,
  of.bounced,
  of.unsubscribed,
  of.complaints,
]

/** Other channels follow if they have messages. */
function emailBlock({ email, currency }: AnalyticsReply, { channels }: AnalyticsDetails): FileBlock[] {
  if (!email) return []
  const others = analyticsChannels.flatMap((name) =>
    channels.filter(({ channel }) => channel === name && name !== 'email'),
  )
  return [
    {
      title: 'Email Performance',
      columns: [
        ['Channel', 'Only email has opens.'],
        ...buildMessageColumns(currency, definitions.bounced),
        ['Refused when sent', definitions.refused],
      ],
      rows: [
        ['Email', ...buildMessageCells({ ...email, bounced: email.bounced + email.refused }, true), email.refused],
        ...others.map((each) => [getChannelLabel(each.channel), ...buildMessageCells(each, false), null]),
      ],
    },
  ]
}

function trendBlock(title: string, { starts, datasets, unit, currency }: Trend, means: readonly string[]): FileBlock {
  return {
    title: `${title} over time`,
    columns: [
      ['From', definitions.trendStart],
      ...datasets.map(
        ({ label }, place) => [unit === 'money' ? amount(label, currency) : label, means[place]!] as const,
      ),
    ],
    rows: starts.map((start, place) => [start, ...datasets.map(({ data }) => data[place] ?? null)]),
  }
}

function customerBlock({ customers }: AnalyticsReply): FileBlock[] {
  if (!customers) return []
  return [
    {
      title: 'Customer Insights',
      columns: [
        ['New', definitions.new],
        ['Returning', definitions.returning],
        ['Repeat purchase rate', definitions.repeatPurchaseRate],
        ['Average orders per customer', definitions.avgOrdersPerCustomer],
        ['Counted', 'Customers are counted every 15 minutes.'],
      ],
      rows: [
        [
          customers.new,
          customers.returning,
          customers.repeatPurchaseRate,
          customers.avgOrdersPerCustomer,
          customers.countedAt,
        ],
      ],
    },
  ]
}

function platformBlock({ shopify, woocommerce, currency }: AnalyticsReply): FileBlock[] {
  if (shopify) {
    return [
      {
        title: `${platformNames.shopify} metrics`,
        columns: [
          ['Checkout abandonment rate', definitions.checkoutAbandonmentRate],
          [amount('Average order value', currency), definitions.averageOrderValue],
          [amount('Customer lifetime value', currency), definitions.customerLifetimeValue],
        ],
        rows: [[shopify.checkoutAbandonmentRate, shopify.averageOrderValue, shopify.customerLifetimeValue]],
      },
    ]
  }
  if (!woocommerce) return []
  return [
    {
      title: `${platformNames.woocommerce} metrics`,
      columns: [
        ['Cart abandonment rate', definitions.cartAbandonmentRate],
        [amount('Average cart value', currency), definitions.platformCartValue],
        ['Conversion rate', definitions.cartConversionRate],
      ],
      rows: [[woocommerce.cartAbandonmentRate, woocommerce.averageCartValue, woocommerce.conversionRate]],
    },
  ]
}

const buildSourceBlock = ({ sources, currency }: AnalyticsDetails): FileBlock => ({
  title: 'Revenue by attribution',
  columns: [
    ['Attribution', definitions.source],
    ['Orders', definitions.sourceOrders],
    [amount('Net revenue', currency), definitions.netRevenue],
    ['Meaning', 'Which orders these are.'],
  ],
  rows: sources.map(({ source, orders, netRevenue }) => [sourceNames[source], orders, netRevenue, definitions[source]]),
})

const buildHourBlock = ({ hours, currency }: AnalyticsDetails): FileBlock => ({
  title: 'Revenue by time since abandonment',
  columns: [
    ['Time since abandonment', definitions.byHour],
    ['Sent', definitions.accepted],
    ['Conversion rate', definitions.messageConversionRate],
    [amount('Attributed revenue', currency), definitions.attributedRevenue],
    [amount('Revenue per message', currency), definitions.revenuePerMessage],
  ],
  rows: hours
    .filter(({ accepted }) => accepted > 0)
    .map((hour) => [
      getHourLabel(hour.fromHour),
      hour.accepted,
      hour.conversionRate,
      hour.attributedRevenue,
      hour.revenuePerMessage,
    ]),
})

const buildReachBlock = ({ reachable, reasons, lookedThrough }: CartReach): FileBlock => ({
  title: 'Carts that can be reached',
  columns: [
    ['Email', definitions.reached],
    ['Country', 'The country whose rule requires consent.'],
    ['Carts', lookedThrough ? `The newest ${lookedThrough} abandoned carts of this period.` : definitions.reachedCarts],
  ],
  rows: [
    ['Can be reached', null, reachable],
    ...reasons.map(({ reason, country, count }) => [reasonLabels[reason], country, count]),
  ],
})

type Share = AnalyticsDetails['countries'][number]
type NamedShare = Share & { name: string }
const nameShares = (rows: readonly Share[], nameOf: (key: string) => string): NamedShare[] =>
  rows.map((row) => ({ ...row, name: nameOf(row.key) }))

function shareBlock(
  { title, currency }: { title: string; currency: string },
  key: Column,
  rows: readonly NamedShare[],
): FileBlock {
  return {
    title,
    columns: [
      key,
      ['Abandoned', definitions.cartsAbandoned],
      ['Recovered', 'Of these carts, those recovered so far.'],
      ['Recovery rate', definitions.recoveryRate],
      [amount('Revenue opportunity', currency), definitions.revenueOpportunity],
    ],
    rows: rows.map((row) => [row.name, row.abandoned, row.recovered, row.recoveryRate, row.revenueOpportunity]),
  }
}

const buildOriginBlock = ({ origins, currency }: AnalyticsDetails): FileBlock => ({
  title: 'Flows, campaigns and manual messages',
  columns: [['Sent by', definitions.sentBy], ['Channel', 'Only email has opens.'], ...buildMessageColumns(currency)],
  rows: origins.map((origin) => [
    origin.name,
    getChannelLabel(origin.channel),
    ...buildMessageCells(origin, origin.channel === 'email'),
  ]),
})

function otherBlock({ otherCurrencies }: AnalyticsReply): FileBlock[] {
  if (otherCurrencies.length === 0) return []
  return [
    {
      title: 'Other currencies',
      columns: [
        ['Currency', 'Not added to any other figure.'],
        ['Revenue opportunity', definitions.revenueOpportunity],
        ['Net revenue', 'Of the orders of this period, net of refunds.'],
      ],
      rows: otherCurrencies.map((each) => [each.currency, each.revenueOpportunity, each.netRevenue]),
    },
  ]
}

/** The rows are streamed afterwards. */
const buildProductBlock = (currency: string): FileBlock => ({
  title: 'Top Abandoned Products',
  columns: [
    ['Product', 'Name in the store.'],
    ['SKU', 'SKU in the store.'],
    ['Abandoned', definitions.abandonedCount],
    ['Recovery rate', definitions.recoveryRate],
    [amount('Revenue lost', currency), definitions.revenueLost],
    ['Product ID', 'ID in the store.'],
  ],
  rows: [],
})

const productCells = (product: TopProduct): CsvCell[] => [
  product.name,
  formatCodeCell(product.sku),
  product.abandonedCount,
  product.recoveryRate,
  product.revenueLost,
  formatCodeCell(product.productId),
]
