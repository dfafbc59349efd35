export interface AnalyticsSchema {
  active_shopper_counts: ActiveShopperCountsTable
}

export interface ActiveShopperCountsTable {
  store_id: string
  counted_at: Date
  active: number
  active_before: number
}
