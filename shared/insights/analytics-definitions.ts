import { type AnalyticsDetails, type FunnelChannel, hourBounds, type OrderSource } from './analytics.ts'

// Definitions of all figures (decisions 91 to 99), shown as tooltips on screen and in a row of the file.

export const definitions = {
  change: 'Change from the previous period of the same length, as a fraction.',
  lifetimeChange: 'Change since the start of this period, as a fraction.',
  revenueOpportunity: 'Value at abandonment of the carts abandoned in this period and not bought yet.',
  averageCartValue: 'Average value at abandonment of the carts abandoned in this period.',
  abandonmentRate: 'Of the carts started in this period and no longer active, the share that was abandoned.',
  customerLifetimeValue:
    'Net revenue of all known customer orders, divided by the number of customers. A customer has an email, a phone or an account.',
  openRate:
    'Share of sent emails opened by a person, as mail programs report it. Emails opened only by machines are excluded.',
  clickRate: 'Share of sent emails with a link clicked by a person.',
  conversionRate: 'Share of sent emails with an order attributed to them.',
  revenuePerEmail: 'Net revenue attributed to these emails, divided by the emails sent.',
  new: 'Customers whose first known order is in this period.',
  returning: 'Customers with an order in this period and an earlier one.',
  repeatPurchaseRate: 'Of the customers in this period, the share with at least two orders ever.',
  avgOrdersPerCustomer: 'Orders of customers in this period, divided by their number.',
  cartAbandonmentRate: 'Same as the abandonment rate above.',
  platformCartValue: 'Same as the average cart value above.',
  cartConversionRate: 'Carts bought, of the carts that began in this period.',
  checkoutAbandonmentRate: 'Of the checkouts started in this period, the share not completed.',
  averageOrderValue: 'Net revenue of the orders of this period, divided by their number.',
  abandonedCount: 'Carts with the product, abandoned in this period.',
  recoveryRate: 'Share of these carts recovered so far.',
  revenueLost: 'Value of the product in carts abandoned in this period and not bought yet.',
  attributed:
    'Orders after a person’s click in a message, its coupon or a restored cart. Each order counts once, for the last of them.',
  assisted: 'Orders without a click, by shoppers who got a message within the attribution window.',
  organic: 'All other orders, and orders made by staff.',
  roiRevenue:
    'Net revenue of the orders attributed to these messages, by the day the message was sent. After discounts and refunds.',
  messageCost:
    'What SMS and WhatsApp providers charged for these messages. Emails by your own mail server have no price.',
  planPrice:
    'Monthly price of the current plan with extra stores, before discounts and tax. A yearly plan counts one twelfth. The list price where nothing is charged.',
  roiCosts: 'Costs: message cost and, if paid in this currency, the plan’s price.',
  whatIsLeft: 'Attributed revenue minus message cost and, by month, the plan’s price. The revenue is after discounts.',
  roiReturn:
    'Net gain divided by the costs. Not shown without costs, or with only message costs below 1% of the revenue.',
  discountsGiven: 'Discounts on paid orders from the codes in these messages. The revenue is after discounts.',
  byHour: 'Time between abandonment and the message.',
  accepted: 'Messages sent in this period, including those that bounced later.',
  messageClickRate: 'Share of sent messages with a link clicked by a person.',
  messageConversionRate: 'Share of sent messages with an order attributed to them.',
  revenuePerMessage: 'Net revenue attributed to these messages, divided by the messages sent.',
  attributedRevenue: 'Net revenue of the orders attributed to these messages.',
  bounced: 'Messages returned by the receiving server: refused when sent, or returned later.',
  bouncedLater: 'Messages returned after they were sent.',
  refused: 'Bounced emails that were refused when sent, for example because the address does not exist.',
  unsubscribed: 'Messages whose recipient unsubscribed through them.',
  complaints: 'Messages reported as spam.',
  source: 'Each order is in one of the three.',
  sourceOrders: 'Orders of this period above 0, without fully refunded or cancelled ones.',
  netRevenue: 'Net of refunds. The three add up to the store’s revenue in this period.',
  cartsAbandoned: 'Carts abandoned in this period.',
  trendStart: 'First day of the interval (a day, week or month). The last one is not over yet.',
  trendRecovery: 'Of the carts abandoned in this interval, the share recovered so far.',
  trendAbandonment: 'Of the carts started in this interval and no longer active, the share that was abandoned.',
  trendRevenue: 'Net revenue of orders in this interval attributed to messages.',
  trendOpportunity: 'Value of the carts abandoned in this interval and not bought yet.',
  reached: 'Carts you can email, and what blocks the others.',
  reachedCarts: 'Abandoned carts of this period.',
  country: 'The shopper’s country, if known.',
  shopper: 'New: no order before the cart began. Returning: at least one.',
  device: 'Phone or desktop: where the cart was filled.',
  sentBy: 'The flow and its step, the campaign, or a member.',
} as const

const sentNames: Record<FunnelChannel, string> = {
  all: 'message',
  email: 'email',
  sms: 'SMS',
  whatsapp: 'WhatsApp message',
  push: 'notification',
}

/** Channels that take the article “an”. */
const AN = /^(email|SMS)/

/** Definitions of the funnel stages. */
export const buildFunnelDefinitions = (channel: FunnelChannel) => {
  const what = sentNames[channel]
  return {
    cartsCreated: 'Carts that began in this period. All other stages count these carts.',
    emailsSent: `Carts with at least one ${what} sent.`,
    emailsOpened: 'Carts with at least one email opened by a person, as mail programs report it.',
    clicks: `Carts with at least one link of ${AN.test(what) ? 'an' : 'a'} ${what} clicked by a person.`,
    conversions:
      channel === 'all'
        ? 'Carts bought after a click in a message, its coupon or a restored cart.'
        : `Carts bought after a click in the ${what}, its coupon or a restored cart.`,
  }
}

export const sourceNames: Record<OrderSource, string> = {
  attributed: 'Attributed',
  assisted: 'Assisted',
  organic: 'Organic',
}

export const channelNames = { email: 'email', sms: 'SMS', whatsapp: 'WhatsApp', push: 'push' } as const
/** Capitalized, for the start of a line. */
export const getChannelLabel = (channel: keyof typeof channelNames) =>
  `${channelNames[channel].charAt(0).toUpperCase()}${channelNames[channel].slice(1)}`

const shopperNames: Record<string, string> = { new: 'New', returning: 'Returning' }
export const getShopperName = (key: string) => shopperNames[key] ?? key

const deviceNames: Record<string, string> = { '': 'Not known', phone: 'Phone', desktop: 'Desktop' }
export const getDeviceName = (key: string) => deviceNames[key] ?? key
/** False until the store's script has reported a device. */
export const hasDevices = ({ devices }: Pick<AnalyticsDetails, 'devices'>) => devices.some(({ key }) => key !== '')

const regions = new Intl.DisplayNames(['en'], { type: 'region' })
export const getCountryName = (code: string) => (code === '' ? 'Not known' : (regions.of(code) ?? code))

/** Hours since abandonment as text: `3–6 h`, `2–3 days`. */
export function getHourLabel(fromHour: number): string {
  const until = hourBounds.find((bound) => bound > fromHour)
  const isDays = fromHour >= 24
  const [from, to] = isDays ? [fromHour / 24, until && until / 24] : [fromHour, until]
  const unit = isDays ? 'days' : 'h'
  if (to === undefined) return `${from} ${unit} and more`
  if (fromHour === 0) return 'Within 1 h'
  return `${from}–${to} ${unit}`
}
