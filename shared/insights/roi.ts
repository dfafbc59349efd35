// Return on investment (decision 154). Pure.

interface CostInput {
  attributedRevenue: number
  messageCost: number
  /** null or missing: not part of the costs. */
  planPrice?: number | null
}

/** Below this share of the revenue, costs are too small for a meaningful ratio. */
const MIN_PART = 0.01

/**
 * `rate`: net return divided by costs; null without costs, or if they are negligible and contain no plan price.
 * Discounts are not a cost here, because the revenue is net of them.
 */
export function computeReturn({ attributedRevenue, messageCost, planPrice }: CostInput) {
  const costs = messageCost + (planPrice ?? 0)
  const profit = attributedRevenue - costs
  const hasRate = costs > 0 && ((planPrice ?? 0) > 0 || costs >= attributedRevenue * MIN_PART)
  return { costs, profit, rate: hasRate ? profit / costs : null }
}
