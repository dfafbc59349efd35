// Return on what was spent (decision 154). Pure.

interface Spent {
  attributedRevenue: number
  messageCost: number
  /** null, or none at all: not among the costs. */
  planPrice?: number | null
}

/** Discounts are no cost here: the revenue is what shoppers paid, after them. `rate`: what is left, of the costs; null without any. */
export function returnOf({ attributedRevenue, messageCost, planPrice }: Spent) {
  const costs = messageCost + (planPrice ?? 0)
  const left = attributedRevenue - costs
  return { costs, left, rate: costs > 0 ? left / costs : null }
}
