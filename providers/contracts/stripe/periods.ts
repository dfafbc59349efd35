import type Stripe from 'stripe'
import { DAY } from './state.ts'

// Billing periods, in Unix seconds. Months are counted from the anchor, so that the 31st returns after February.

export interface Interval {
  interval: string
  interval_count: number
}

/** The first end of a period after `start`, counted from the anchor. */
export function computePeriodEnd(anchor: number, start: number, { interval, interval_count: count }: Interval): number {
  for (let step = 0; ; step++) {
    const end = addInterval(anchor, interval, step * count)
    if (end > start) return end
  }
}

export function addInterval(from: number, interval: string, count: number): number {
  if (interval === 'day') return from + count * DAY
  if (interval === 'week') return from + count * 7 * DAY
  const date = new Date(from * 1000)
  const months = date.getUTCMonth() + count * (interval === 'year' ? 12 : 1)
  const last = new Date(Date.UTC(date.getUTCFullYear(), months + 1, 0)).getUTCDate()
  const day = Math.min(date.getUTCDate(), last)
  const moved = Date.UTC(
    date.getUTCFullYear(),
    months,
    day,
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
  )
  return moved / 1000
}

export const readInterval = (item: { price: Stripe.Price }): Interval => {
  const { interval, interval_count } = item.price.recurring!
  return { interval, interval_count }
}

export const computeAmount = ({ price, quantity }: { price: Stripe.Price; quantity?: number }) =>
  price.unit_amount! * (quantity ?? 1)

/** Returns the period of the first item: all items of a subscription share it here. */
export function findCurrentPeriod({ items }: Stripe.Subscription): { start: number; end: number } {
  const { current_period_start: start, current_period_end: end } = items.data[0]!
  return { start, end }
}
