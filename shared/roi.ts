// Return on what was spent (decision 154). Pure.

interface Spent {
  attributedRevenue: number
  messageCost: number
  /** null, or none at all: not among the costs. */
  planPrice?: number | null
}

/** Message costs below this part of the revenue are next to nothing: what they multiply into says nothing. */
const LEAST_PART = 0.01

/**
 * Discounts are no cost here: the revenue is what shoppers paid, after them. `rate`: what is left, of the costs; null without any, and where
 * there is no plan's price among them and they are next to nothing.
 */
export function returnOf({ attributedRevenue, messageCost, planPrice }: Spent) {
  const costs = messageCost + (planPrice ?? 0)
  const left = attributedRevenue - costs
  const hasRate = costs > 0 && ((planPrice ?? 0) > 0 || costs >= attributedRevenue * LEAST_PART)
  return { costs, left, rate: hasRate ? left / costs : null }
}
