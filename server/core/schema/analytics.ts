export interface AnalyticsSchema {
  active_shopper_counts: ActiveShopperCountsTable
}

/** The subjects of daily statistics. */
export const figureSubjects = ['carts', 'products', 'funnel', 'messages', 'orders'] as const
export type FigureSubject = (typeof figureSubjects)[number]

export interface ActiveShopperCountsTable {
  store_id: string
  counted_at: Date
  active: number
  active_before: number
}
