import { type AnalyticsDetails, type FunnelChannel, hourBounds, type OrderSource } from './analytics.ts'

// Definitions of all figures (decisions 91 to 99), shown as tooltips on screen and in a row of the file.

export const definitions = {
  change: 'Against as many days before, as a fraction of them.',
  lifetimeChange: 'Against the beginning of these days, as a fraction.',
  revenueOpportunity:
    'Value of the carts abandoned in these days that have not been bought by now, as they were when they were abandoned.',
  averageCartValue: 'Mean value of the carts abandoned in these days, as they were then.',
  abandonmentRate:
    'Of the carts that began in these days and are not being filled any more, the share that was abandoned, as of now.',
  customerLifetimeValue:
    'Net revenue of all known orders of customers, divided by their number. A customer can be told from others by an email, a phone or an account: a buyer at a till who leaves none is not one.',
  openRate:
    'Emails opened by a person, of the emails accepted, without those that only machines opened. As reported by mail programs: blocked pictures hide opens.',
  clickRate: 'Emails with a link clicked by a person, of the emails accepted.',
  conversionRate: 'Emails with an order attributed to them, of the emails accepted.',
  revenuePerEmail: 'Net revenue attributed to these emails, divided by the emails accepted.',
  new: 'Customers (known by an email, a phone or an account) whose first known order is in these days.',
  returning: 'Customers with an order in these days and one before them.',
  repeatPurchaseRate: 'Of the customers with an order in these days, the share that has ordered at least twice ever.',
  avgOrdersPerCustomer: 'Orders of customers in these days, divided by their number.',
  cartAbandonmentRate: 'As the abandonment rate above.',
  platformCartValue: 'As the average cart value above.',
  cartConversionRate: 'Carts bought, of the carts that began in these days.',
  checkoutAbandonmentRate: 'Of the checkouts begun in these days, the share that was not completed.',
  averageOrderValue: 'Net revenue of the orders of these days, divided by their number.',
  abandonedCount: 'Carts abandoned in these days that hold the product.',
  recoveryRate: 'Of these carts, the share recovered by now.',
  revenueLost: 'Value of the product in carts abandoned in these days and not bought by now, as they are now.',
  attributed:
    'Orders that followed a person’s click in a message, its coupon or a restored cart. Each order counts once, for the last of them.',
  assisted:
    'Orders without such a click, whose shopper had received a message within the attribution window before. They may have been bought anyway.',
  organic: 'All other orders, and those made by the staff.',
  roiRevenue:
    'Net revenue of the orders attributed to these messages, by the day the message left. After discounts and refunds.',
  messageCost:
    'What the providers of SMS and WhatsApp charged for these messages, as they reported it. Emails by your own mail server have no price.',
  planPrice:
    'What the plan in force now costs a month, with its extra stores, before discounts and tax: whole, for every month. By the year, a twelfth. The list price where nothing is charged.',
  roiCosts: 'Costs: the message cost and, where it is paid in this currency, the plan’s price.',
  whatIsLeft:
    'Attributed revenue less message cost and, by month, the plan’s price. Discounts are taken off the revenue already.',
  roiReturn:
    'What is left, divided by the costs. None where there are no costs, or only message costs of less than 1% of the revenue.',
  discountsGiven:
    'What the codes in these messages took off orders that were paid. The revenue is counted after it, so it is not taken off again.',
  byHour: 'Time between leaving the cart and the message.',
  accepted: 'Messages of these days that the provider accepted, whatever came of them.',
  messageClickRate: 'Messages with a link clicked by a person, of the messages accepted.',
  messageConversionRate: 'Messages with an order attributed to them, of the messages accepted.',
  revenuePerMessage: 'Net revenue attributed to these messages, divided by the messages accepted.',
  attributedRevenue: 'Net revenue of the orders attributed to these messages.',
  bounced: 'Messages that were accepted and came back later.',
  refused:
    'Emails that were refused when they were sent, for example because the address does not exist. They are not among the accepted ones.',
  unsubscribed: 'Messages whose receiver unsubscribed by them.',
  complaints: 'Messages reported as spam.',
  source: 'How an order is known to be ours, or not. Each order is in one of the three.',
  sourceOrders: 'Orders of these days, without those of 0 and those refunded or cancelled in full.',
  netRevenue: 'Net of refunds. The three together are the revenue of the store in these days.',
  cartsAbandoned: 'Carts abandoned in these days.',
  trendStart: 'Day, week or month that begins with this day. The last one is not over.',
  trendRecovery: 'Of the carts abandoned in this time, the share recovered by now.',
  trendAbandonment:
    'Of the carts that began in this time and are not being filled any more, the share that was abandoned.',
  trendRevenue: 'Net revenue of the orders of this time that are attributed to messages.',
  trendOpportunity: 'Value of the carts abandoned in this time that have not been bought by now.',
  reached: 'Whether an email may be sent about the cart now, or what stands against it.',
  reachedCarts: 'Abandoned carts of these days.',
  country: 'Of the shopper, as far as it is known.',
  shopper: 'New: without an order before the cart began. Returning: with one.',
  device: 'Of the browser in which the cart was filled: phone or desktop, and nothing else of it.',
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
    cartsCreated: 'Carts that began in these days. All other stages count these carts.',
    emailsSent: `Carts with at least one ${what} sent and not refused.`,
    emailsOpened:
      'Carts with at least one email that a person opened, as their mail program reports it. Opens by machines do not count; blocked pictures hide opens.',
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
