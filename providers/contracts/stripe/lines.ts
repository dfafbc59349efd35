import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import { computeAmount } from './periods.ts'
import { createId, type StripeState } from './state.ts'

// Invoice lines.

export interface Period {
  start: number
  end: number
}

/** An item of a subscription, now or after a change; `id` is null for a new item. */
export interface Item {
  id: string | null
  price: Stripe.Price
  quantity: number
}

export interface LineDraft {
  item: Item
  amount: number
  description: string
  period: Period
  isProration: boolean
}

const formatDay = (at: number) =>
  new Date(at * 1000).toLocaleDateString('en-GB', { day: '2-digit', month: 'short', year: 'numeric', timeZone: 'UTC' })

export const findProductName = (world: StripeState, price: Stripe.Price) =>
  world.find('product', createId(price.product as string | { id: string }))?.name ?? 'Subscription'

export function buildFullLine(world: StripeState, item: Item, period: Period): LineDraft {
  const each = (item.price.unit_amount! / 100).toFixed(2)
  const description = `${item.quantity} × ${findProductName(world, item.price)} (at $${each} / ${item.price.recurring!.interval})`
  return { item, amount: computeAmount(item), description, period, isProration: false }
}

/** A line for a free period. */
export const buildTrialLine = (world: StripeState, item: Item, period: Period): LineDraft => ({
  item,
  amount: 0,
  description: `Trial period for ${findProductName(world, item.price)}`,
  period,
  isProration: false,
})

/** A line for the rest of the period: a credit for the old item, a charge for the new one. */
export function buildProratedLine(world: StripeState, item: Item, sign: 1 | -1, at: number, period: Period): LineDraft {
  const share = (period.end - at) / (period.end - period.start)
  const label = sign < 0 ? 'Unused time on' : 'Remaining time on'
  const times = item.quantity > 1 ? `${item.quantity} × ` : ''
  return {
    item,
    amount: sign * Math.round(computeAmount(item) * share),
    description: `${label} ${times}${findProductName(world, item.price)} after ${formatDay(at)}`,
    period: { start: at, end: period.end },
    isProration: true,
  }
}

export function buildLineItem(
  world: StripeState,
  draft: LineDraft,
  invoice: string,
  subscription: string,
): Stripe.InvoiceLineItem {
  const { item, amount, description, period, isProration } = draft
  return buildObject<Stripe.InvoiceLineItem>('InvoiceLineItems', 'InvoiceLineItem', {
    id: world.id('il'),
    amount,
    currency: item.price.currency,
    description,
    discountable: !isProration,
    invoice,
    parent: {
      type: 'subscription_item_details',
      subscription_item_details: {
        invoice_item: isProration ? world.id('ii') : null,
        proration: isProration,
        proration_details: isProration ? { credited_items: null } : null,
        subscription,
        subscription_item: item.id ?? world.id('si'),
      },
    },
    period,
    pricing: {
      type: 'price_details',
      price_details: { price: item.price.id, product: createId(item.price.product as string | { id: string }) },
      unit_amount_decimal: String(item.price.unit_amount),
    },
    quantity: item.quantity,
    quantity_decimal: String(item.quantity),
    subscription,
    subtotal: amount,
  })
}
