import type Stripe from 'stripe'
import { createInvalidError } from './errors.ts'
import { DAY, type StripeState } from './state.ts'
import { assertSupported } from './supported.ts'
import { assertUrl } from './urls.ts'

// Reasons to refuse a checkout session. README.md names the source of each.

type Order = Stripe.Checkout.SessionCreateParams

/** Supported parameters, and those that change only the look of the page. */
const PLAYED: (keyof Order)[] = [
  'allow_promotion_codes',
  'automatic_tax',
  'billing_address_collection',
  'branding_settings',
  'cancel_url',
  'client_reference_id',
  'consent_collection',
  'custom_text',
  'customer',
  'customer_creation',
  'customer_email',
  'customer_update',
  'expand',
  'expires_at',
  'invoice_creation',
  'line_items',
  'locale',
  'metadata',
  'mode',
  'payment_intent_data',
  'payment_method_collection',
  'phone_number_collection',
  'return_url',
  'submit_type',
  'subscription_data',
  'success_url',
  'tax_id_collection',
  'ui_mode',
]

export function assertSession(world: StripeState, order: Order): void {
  if (!order.mode) throw createInvalidError('Missing required param: mode.', 'mode', 'parameter_missing')
  assertPage(world, order)
  assertMode(order)
  assertCustomer(world, order)
  if (order.mode === 'setup') throw createUnsupportedError('mode', 'setup')
  if (!order.line_items?.length) {
    throw createInvalidError('Missing required param: line_items.', 'line_items', 'parameter_missing')
  }
  for (const [at, line] of order.line_items.entries()) assertLine(world, line, `line_items[${at}]`)
  assertPrices(world, order)
  assertTrial(world, order)
  assertSupported(order, PLAYED)
  assertSupported(order.payment_intent_data ?? {}, ['description', 'metadata'])
  assertSupported(order.invoice_creation ?? {}, ['enabled', 'invoice_data'])
  assertSupported(order.invoice_creation?.invoice_data ?? {}, ['description', 'footer', 'metadata'])
  assertSupported(order.subscription_data ?? {}, [
    'description',
    'metadata',
    'trial_end',
    'trial_period_days',
    'trial_settings',
  ])
}

const createUnsupportedError = (param: string, value: string) =>
  createInvalidError(`The contract server does not play ${param}=${value}.`, param)

function assertPage(world: StripeState, order: Order): void {
  const { ui_mode = 'hosted_page', expires_at } = order
  if (ui_mode !== 'hosted_page') throw createUnsupportedError('ui_mode', ui_mode)
  if (!order.success_url)
    throw createInvalidError('Missing required param: success_url.', 'success_url', 'parameter_missing')
  assertUrl(order.success_url, 'success_url')
  if (order.cancel_url) assertUrl(order.cancel_url, 'cancel_url')
  if (order.return_url) {
    throw createInvalidError(
      '`return_url` can only be set when `ui_mode` is `embedded_page`, `elements` or `form`.',
      'return_url',
    )
  }
  if (expires_at === undefined) return
  if (expires_at < world.now + 1_800 || expires_at > world.now + DAY) {
    throw createInvalidError(
      'The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.',
      'expires_at',
    )
  }
}

/** Parameters that belong to one mode only. */
const MODES: [keyof Order, Order['mode'][]][] = [
  ['customer_creation', ['payment', 'setup']],
  ['payment_intent_data', ['payment']],
  ['invoice_creation', ['payment']],
  ['submit_type', ['payment']],
  ['subscription_data', ['subscription']],
  ['payment_method_collection', ['subscription']],
  ['setup_intent_data', ['setup']],
]

function assertMode(order: Order): void {
  for (const [name, modes] of MODES) {
    if (order[name] === undefined || modes.includes(order.mode)) continue
    const allowed = modes.map((one) => `\`${one}\``).join(' and ')
    throw createInvalidError(`\`${name}\` can only be used in ${allowed} mode.`, name)
  }
}

function assertCustomer(world: StripeState, order: Order): void {
  const { customer, customer_email, customer_update } = order
  if (customer && customer_email) {
    throw createInvalidError('You may only specify one of these parameters: customer, customer_email.', 'customer')
  }
  if (customer_update && !customer)
    throw createInvalidError('`customer_update` can only be used with `customer`.', 'customer_update')
  // Bounded: the caller is our own code under test.
  if (customer_email && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(customer_email)) {
    throw createInvalidError(`Invalid email address: ${customer_email}`, 'customer_email', 'email_invalid')
  }
  if (!customer) return
  if (order.tax_id_collection?.enabled && customer_update?.name !== 'auto') {
    throw createInvalidError(
      'Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.',
      'tax_id_collection',
    )
  }
  const found = world.find('customer', customer)
  const hasAddress = found && !found.deleted && found.address?.country
  if (order.automatic_tax?.enabled && !hasAddress && customer_update?.address !== 'auto') {
    throw createInvalidError(
      "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered in Checkout to the Customer.",
      'automatic_tax',
      'customer_tax_location_invalid',
    )
  }
}

function assertLine(world: StripeState, line: Stripe.Checkout.SessionCreateParams.LineItem, path: string): void {
  if (line.price && line.price_data) {
    throw createInvalidError(`You may only specify one of these parameters: price, price_data.`, path)
  }
  if (!line.price && !line.price_data) {
    throw createInvalidError(
      `You must specify either the \`price\` or \`price_data\` parameter in \`${path}\`.`,
      `${path}[price]`,
      'parameter_missing',
    )
  }
  if (line.price) {
    const price = world.need('price', line.price, `${path}[price]`)
    if (!price.active) {
      throw createInvalidError(
        'The price specified is inactive. This field only accepts active prices.',
        `${path}[price]`,
        'price_inactive',
      )
    }
  }
  if (line.quantity === undefined) {
    throw createInvalidError(
      `Quantity is required. Add \`quantity\` to \`${path}\``,
      `${path}[quantity]`,
      'parameter_missing',
    )
  }
  assertQuantity(line.quantity, 1, `${path}[quantity]`)
}

export function assertQuantity(quantity: number, least: number, param: string): void {
  if (!Number.isInteger(quantity))
    throw createInvalidError(`Invalid integer: ${quantity}`, param, 'parameter_invalid_integer')
  if (quantity >= least) return
  throw createInvalidError(`This value must be greater than or equal to ${least}.`, param, 'parameter_invalid_integer')
}

interface Priced {
  currency: string
  interval: string | null
}

function assertPrices(world: StripeState, order: Order): void {
  const prices = order.line_items!.map(({ price, price_data }): Priced => {
    const found = world.find('price', price)
    if (found) return { currency: found.currency, interval: found.recurring?.interval ?? null }
    return { currency: price_data!.currency, interval: price_data!.recurring?.interval ?? null }
  })
  if (new Set(prices.map(({ currency }) => currency)).size > 1) {
    throw createInvalidError('All prices on a Checkout session must be of the same currency.', 'line_items')
  }
  const intervals = new Set(prices.flatMap(({ interval }) => interval ?? []))
  if (order.mode === 'payment' && intervals.size > 0) {
    throw createInvalidError(
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
      'mode',
    )
  }
  if (order.mode === 'subscription' && intervals.size === 0) {
    throw createInvalidError(
      'You must provide at least one recurring price in `subscription` mode when using prices.',
      'line_items',
    )
  }
  if (intervals.size > 1) {
    throw createInvalidError(
      'Checkout does not support multiple prices with different billing intervals.',
      'line_items',
    )
  }
}

function assertTrial(world: StripeState, { subscription_data: data }: Order): void {
  if (!data) return
  const { trial_period_days: days, trial_end: end } = data
  if (days !== undefined && end !== undefined) {
    throw createInvalidError(
      'You may only specify one of these parameters: trial_end, trial_period_days.',
      'subscription_data[trial_end]',
    )
  }
  if (days !== undefined && (days < 1 || days > 730)) {
    throw createInvalidError(
      'The minimum number of trial period days is 1, the maximum is 730.',
      'subscription_data[trial_period_days]',
    )
  }
  if (end !== undefined && end < world.now + 2 * DAY) {
    throw createInvalidError(
      'The `trial_end` date has to be at least 2 days in the future.',
      'subscription_data[trial_end]',
    )
  }
}
