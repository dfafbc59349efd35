import type { AnalyticsDetails, AnalyticsRange, AnalyticsReply, TopProduct, Trend } from '../../../shared/analytics.ts'
import { analyticsChannels, funnelChannels } from '../../../shared/analytics.ts'
import {
  channelLabel,
  countryName,
  definitions,
  deviceName,
  funnelDefinitions,
  hasDevices,
  hourLabel,
  shopperName,
  sourceNames,
} from '../../../shared/analytics-definitions.ts'
import { type CsvCell, codeCell } from '../../../shared/csv.ts'
import { type PlatformName, platformNames, type StoreRights } from '../../../shared/platforms.ts'
import { type CartReach, reasonLabels } from '../../../shared/reach.ts'

// Blocks of the Advanced Analytics file: column names with definitions, and rows (decision 100). Rates are fractions.
// Pure.

export interface FileBlock {
  title: string
  columns: readonly Column[]
  rows: readonly (readonly CsvCell[])[]
}
type Column = readonly [name: string, definition: string]

export interface Figures {
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

export function blocksOf(all: Figures): FileBlock[] {
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
    sourceBlock(details),
    hourBlock(details),
    ...(all.reach ? [reachBlock(all.reach)] : []),
    shareBlock(
      { title: 'By country', currency },
      ['Country', definitions.country],
      named(details.countries, countryName),
    ),
    shareBlock(
      { title: 'New and returning shoppers', currency },
      ['Shopper', definitions.shopper],
      named(details.shoppers, shopperName),
    ),
    ...(hasDevices(details)
      ? [
          shareBlock(
            { title: 'By device', currency },
            ['Device', definitions.device],
            named(details.devices, deviceName),
          ),
        ]
      : []),
    originBlock(details),
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
      ['Store', 'Whose figures these are.'],
      ['Platform', 'What the store runs on.'],
      ['Range', 'So many days of the store’s calendar, today included.'],
      ['First day', 'By the store’s calendar.'],
      ['Last day', 'It is not over.'],
      ['Time zone', 'Of the store’s calendar.'],
      ['Currency', 'Of all amounts. Others are never added to them.'],
      ['Orders known', 'How far back orders could be read when the store was connected.'],
      ['Counted up to', 'What happened later is not in these figures; empty where all is in them.'],
      ['Exported', 'When the figures were read.'],
    ],
    rows: [
      [
        ...[
          listed(stores.map(({ name }) => name)),
          listed(stores.map(({ platform }) => platformNames[platform])),
          range,
          figures.firstDay,
          figures.lastDay,
          figures.timeZone,
        ],
        ...[
          figures.currency,
          listed(stores.map(describeOrderHistory)),
          figures.isBeingCounted ? BEING_COUNTED : figures.countedUntil,
          exportedAt.toISOString(),
        ],
      ],
    ],
  }
}

const listed = (names: readonly string[]) => [...new Set(names)].join(', ')

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
        ...[of.revenueOpportunity, of.revenueOpportunityChange, of.averageCartValue, of.averageCartValueChange],
        ...[of.abandonmentRate, of.abandonmentRateChange, of.customerLifetimeValue, of.customerLifetimeValueChange],
      ],
    ],
  }
}

const hasOpens = (channel: string) => channel === 'all' || channel === 'email'

function funnelBlock({ funnels }: AnalyticsReply): FileBlock {
  const means = funnelDefinitions('all')
  return {
    title: 'Conversion Funnel',
    columns: [
      [
        'Channel',
        'Whose messages the stages count. Each stage counts carts on its own, so it can exceed the one before.',
      ],
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
          channel === 'all' ? 'All' : channelLabel(channel),
          cartsCreated,
          emailsSent,
          opened,
          clicks,
          conversions,
        ]
      }),
  }
}

const messageColumns = (currency: string): readonly Column[] => [
  ['Accepted', definitions.accepted],
  ['Open rate', definitions.openRate],
  ['Click rate', definitions.messageClickRate],
  ['Conversion rate', definitions.messageConversionRate],
  [amount('Revenue per message', currency), definitions.revenuePerMessage],
  [amount('Attributed revenue', currency), definitions.attributedRevenue],
  ['Bounced', definitions.bounced],
  ['Unsubscribed', definitions.unsubscribed],
  ['Complaints', definitions.complaints],
]

const messageCells = (of: Omit<NonNullable<AnalyticsReply['email']>, 'refused'>, isEmail: boolean): CsvCell[] => [
  ...[of.accepted, isEmail ? of.openRate : null, of.clickRate, of.conversionRate, of.revenuePerEmail],
  ...[of.attributedRevenue, of.bounced, of.unsubscribed, of.complaints],
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
        ['Channel', 'Opens exist for email alone.'],
        ...messageColumns(currency),
        ['Refused', definitions.refused],
      ],
      rows: [
        ['Email', ...messageCells(email, true), email.refused],
        ...others.map((each) => [channelLabel(each.channel), ...messageCells(each, false), null]),
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
          ...[customers.new, customers.returning, customers.repeatPurchaseRate, customers.avgOrdersPerCustomer],
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

const sourceBlock = ({ sources, currency }: AnalyticsDetails): FileBlock => ({
  title: 'Revenue, by how it is known',
  columns: [
    ['Known as', definitions.source],
    ['Orders', definitions.sourceOrders],
    [amount('Net revenue', currency), definitions.netRevenue],
    ['Meaning', 'Which orders these are.'],
  ],
  rows: sources.map(({ source, orders, netRevenue }) => [
    ...[sourceNames[source], orders, netRevenue, definitions[source]],
  ]),
})

const hourBlock = ({ hours, currency }: AnalyticsDetails): FileBlock => ({
  title: 'What a reminder earned, by time after leaving',
  columns: [
    ['Time after leaving', definitions.byHour],
    ['Accepted', definitions.accepted],
    ['Conversion rate', definitions.messageConversionRate],
    [amount('Attributed revenue', currency), definitions.attributedRevenue],
    [amount('Revenue per message', currency), definitions.revenuePerMessage],
  ],
  rows: hours
    .filter(({ accepted }) => accepted > 0)
    .map((hour) => [
      ...[hourLabel(hour.fromHour), hour.accepted, hour.conversionRate, hour.attributedRevenue, hour.revenuePerMessage],
    ]),
})

const reachBlock = ({ reachable, reasons, lookedThrough }: CartReach): FileBlock => ({
  title: 'Carts that can be reached',
  columns: [
    ['Email', definitions.reached],
    ['Country', 'Whose rule asks for consent.'],
    ['Carts', lookedThrough ? `The newest ${lookedThrough} abandoned carts of these days.` : definitions.reachedCarts],
  ],
  rows: [
    ['Can be reached', null, reachable],
    ...reasons.map(({ reason, country, count }) => [reasonLabels[reason], country, count]),
  ],
})

type Share = AnalyticsDetails['countries'][number]
type NamedShare = Share & { name: string }
const named = (rows: readonly Share[], nameOf: (key: string) => string): NamedShare[] =>
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
      ['Recovered', 'Of these carts, those recovered by now.'],
      ['Recovery rate', definitions.recoveryRate],
      [amount('Revenue opportunity', currency), definitions.revenueOpportunity],
    ],
    rows: rows.map((row) => [row.name, row.abandoned, row.recovered, row.recoveryRate, row.revenueOpportunity]),
  }
}

const originBlock = ({ origins, currency }: AnalyticsDetails): FileBlock => ({
  title: 'Flows, campaigns and messages by hand',
  columns: [
    ['Sent by', definitions.sentBy],
    ['Channel', 'Of the messages. Opens exist for email alone.'],
    ...messageColumns(currency),
  ],
  rows: origins.map((origin) => [
    ...[origin.name, channelLabel(origin.channel)],
    ...messageCells(origin, origin.channel === 'email'),
  ]),
})

function otherBlock({ otherCurrencies }: AnalyticsReply): FileBlock[] {
  if (otherCurrencies.length === 0) return []
  return [
    {
      title: 'Other currencies',
      columns: [
        ['Currency', 'Not added to any of the other figures.'],
        ['Revenue opportunity', definitions.revenueOpportunity],
        ['Net revenue', 'Of the orders of these days, net of refunds.'],
      ],
      rows: otherCurrencies.map((each) => [each.currency, each.revenueOpportunity, each.netRevenue]),
    },
  ]
}

/** The rows are streamed afterwards. */
export const productBlock = (currency: string): FileBlock => ({
  title: 'Top Abandoned Products',
  columns: [
    ['Product', 'As the store names it.'],
    ['SKU', 'As the store has it.'],
    ['Abandoned', definitions.abandonedCount],
    ['Recovery rate', definitions.recoveryRate],
    [amount('Revenue lost', currency), definitions.revenueLost],
    ['Product ID', 'The store’s own.'],
  ],
  rows: [],
})

export const productCells = (product: TopProduct): CsvCell[] => [
  ...[product.name, codeCell(product.sku), product.abandonedCount, product.recoveryRate, product.revenueLost],
  codeCell(product.productId),
]
