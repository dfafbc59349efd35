import type Stripe from 'stripe'
import { assertQuantity } from './checkout-rules.ts'
import { createInvalidError } from './errors.ts'
import { buildFullLine, buildProratedLine, type Item, type LineDraft, type Period } from './lines.ts'
import { computePeriodEnd, findCurrentPeriod, readInterval } from './periods.ts'
import type { StripeState } from './state.ts'

// Computes the result of changing a subscription's items, trial or anchor. The preview and the change use the same
// code, so that the charge equals the preview.

export interface ItemChange {
  id?: string
  price?: string
  quantity?: number
  deleted?: boolean
  clear_usage?: boolean
  metadata?: unknown
}

export interface ChangeRequest {
  items?: ItemChange[]
  proration_behavior?: string
  proration_date?: number
  billing_cycle_anchor?: { type: string }
  trial_end?: 'now' | number
}

export interface ChangePlan {
  items: Item[]
  /** The billing period of the items afterwards. */
  period: Period
  anchor: number
  trialEnd: number | null
  status: Stripe.Subscription.Status
  /** Prorations for the rest of the period. */
  prorations: LineDraft[]
  /** Lines of a period that starts with the change. */
  newPeriod: LineDraft[]
  isInvoicedNow: boolean
}

export const listItems = (subscription: Stripe.Subscription): Item[] =>
  subscription.items.data.map(({ id, price, quantity }) => ({ id, price, quantity: quantity ?? 1 }))

export function planChange(world: StripeState, subscription: Stripe.Subscription, change: ChangeRequest): ChangePlan {
  const before = listItems(subscription)
  const items = change.items ? applyItemChanges(world, before, change.items, subscription.currency) : before
  const at = readProrationDate(world, subscription, change.proration_date)
  if (change.trial_end !== undefined && change.trial_end !== 'now') {
    return planTrial(world, subscription, items, change.trial_end)
  }
  const endsTrial = change.trial_end === 'now' && subscription.status === 'trialing'
  if (subscription.status === 'trialing' && !endsTrial) return planInTrial(world, subscription, items)
  const isOtherInterval = !hasSameInterval(before[0]!, items[0]!)
  const restarts = endsTrial || isOtherInterval || change.billing_cycle_anchor?.type === 'now'
  const behavior = change.proration_behavior ?? 'create_prorations'
  const prorates = behavior !== 'none' && !endsTrial
  const period = findCurrentPeriod(subscription)
  if (restarts) {
    const next = { start: world.now, end: computePeriodEnd(world.now, world.now, readInterval(items[0]!)) }
    return {
      items,
      period: next,
      anchor: world.now,
      trialEnd: endsTrial ? world.now : subscription.trial_end,
      status: 'active',
      prorations: prorates ? before.map((one) => buildProratedLine(world, one, -1, at, period)) : [],
      newPeriod: items.map((one) => buildFullLine(world, one, next)),
      isInvoicedNow: true,
    }
  }
  const prorations = prorates ? buildProrations(world, { before, items, at, period }) : []
  return {
    items,
    period,
    anchor: subscription.billing_cycle_anchor,
    trialEnd: subscription.trial_end,
    status: subscription.status,
    prorations,
    newPeriod: [],
    isInvoicedNow: behavior === 'always_invoice' && prorations.length > 0,
  }
}

function planInTrial(world: StripeState, subscription: Stripe.Subscription, items: Item[]): ChangePlan {
  return planTrial(world, subscription, items, subscription.trial_end!)
}

function planTrial(world: StripeState, subscription: Stripe.Subscription, items: Item[], trialEnd: number): ChangePlan {
  if (trialEnd <= world.now) {
    throw createInvalidError('Invalid timestamp: must be an integer Unix timestamp in the future.', 'trial_end')
  }
  const { start } = findCurrentPeriod(subscription)
  return {
    items,
    period: { start, end: trialEnd },
    anchor: trialEnd,
    trialEnd,
    status: 'trialing',
    prorations: [],
    newPeriod: [],
    isInvoicedNow: false,
  }
}

function readProrationDate(world: StripeState, subscription: Stripe.Subscription, date: number | undefined): number {
  if (date === undefined) return world.now
  const { start, end } = findCurrentPeriod(subscription)
  if (date >= start && date <= end) return date
  throw createInvalidError(
    'Cannot specify a proration date outside of the current period of the subscription.',
    'proration_date',
  )
}

function buildProrations(
  world: StripeState,
  { before, items, at, period }: { before: Item[]; items: Item[]; at: number; period: Period },
): LineDraft[] {
  const isSame = (a: Item, b: Item) => a.id === b.id && a.price.id === b.price.id && a.quantity === b.quantity
  const removed = before.filter((old) => !items.some((one) => isSame(old, one)))
  const come = items.filter((one) => !before.some((old) => isSame(old, one)))
  const credits = removed.map((one) => buildProratedLine(world, one, -1, at, period))
  return [...credits, ...come.map((one) => buildProratedLine(world, one, 1, at, period))]
}

const hasSameInterval = (a: Item, b: Item) => {
  const [one, other] = [readInterval(a), readInterval(b)]
  return one.interval === other.interval && one.interval_count === other.interval_count
}

export function applyItemChanges(world: StripeState, before: Item[], changes: ItemChange[], currency: string): Item[] {
  const items = before.map((one) => ({ ...one }))
  for (const [at, change] of changes.entries()) changeItem(world, items, change, `items[${at}]`)
  const remaining = items.filter(({ quantity }) => quantity >= 0)
  if (remaining.length === 0) throw createInvalidError('A subscription must have at least one active plan.', 'items')
  if (remaining.length > 20) throw createInvalidError('A subscription can have up to 20 items.', 'items')
  assertTogether(remaining, currency)
  return remaining
}

function changeItem(world: StripeState, items: Item[], change: ItemChange, path: string): void {
  if (change.quantity !== undefined) assertQuantity(change.quantity, 0, `${path}[quantity]`)
  const price = change.price === undefined ? undefined : findRecurringPrice(world, change.price, `${path}[price]`)
  if (!change.id) {
    if (!price)
      throw createInvalidError(`Missing required param: ${path}[price].`, `${path}[price]`, 'parameter_missing')
    if (items.some((one) => one.price.id === price.id)) {
      throw createInvalidError(
        `Cannot add multiple subscription items with the same plan: ${price.id}`,
        `${path}[price]`,
      )
    }
    items.push({ id: null, price, quantity: change.quantity ?? 1 })
    return
  }
  const item = items.find(({ id }) => id === change.id)
  if (!item) throw createInvalidError(`No such subscription_item: '${change.id}'`, `${path}[id]`, 'resource_missing')
  if (change.deleted) item.quantity = -1
  else {
    item.price = price ?? item.price
    item.quantity = change.quantity ?? item.quantity
  }
}

export function findRecurringPrice(world: StripeState, id: string, param: string): Stripe.Price {
  const price = world.need('price', id, param)
  if (!price.recurring) {
    throw createInvalidError(
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
      param,
    )
  }
  if (!price.active)
    throw createInvalidError(
      'The price specified is inactive. This field only accepts active prices.',
      param,
      'price_inactive',
    )
  return structuredClone(price)
}

function assertTogether(items: Item[], currency: string): void {
  if (items.some(({ price }) => price.currency !== currency)) {
    throw createInvalidError(`All prices on a subscription must be in its currency, ${currency}.`, 'items')
  }
  if (items.every((one) => hasSameInterval(one, items[0]!))) return
  throw createInvalidError(
    'All items of the subscription must have the same billing interval. If you meant to update an existing subscription item instead of creating a new one, make sure to include the subscription item ID in your request.',
    'items',
  )
}
