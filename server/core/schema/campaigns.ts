import type { ColumnType, Generated } from 'kysely'

export interface CampaignsSchema {
  campaigns: CampaignsTable
  campaign_people: CampaignPeopleTable
  campaign_runs: CampaignRunsTable
  audiences: AudiencesTable
}

export interface CampaignsTable {
  store_id: string
  id: string
  name: string
  description: string
  type: 'email' | 'sms' | 'whatsapp' | 'push'
  status: 'scheduled' | 'active' | 'paused' | 'completed' | 'sent' | 'cancelled'
  audience_type: 'abandoned_carts' | 'specific_customers'
  audience_mode: 'selected' | 'matching'
  filters: ColumnType<StoredFilters, string, string>
  template_key: string
  template_id: string
  coupon_id: Generated<string | null>
  coupon_fallback: Generated<'without' | 'skip'>
  coupon_first_order_only: Generated<boolean>
  coupon_pause_days: number | null
  coupon_above_minor: Generated<number | null>
  /** YYYY-MM-DD. */
  start_date: string
  /** HH:MM. */
  time_of_day: string
  frequency: 'once' | 'daily' | 'weekly' | 'monthly'
  delay_hours: number
  spread_hours: number | null
  next_run_at: Generated<Date | null>
  run_zone: string
  run: Generated<number>
  sent_now_at: Generated<Date | null>
  is_planned: Generated<boolean>
  paused_by: Generated<'bounces' | 'complaints' | 'plan' | 'payment' | 'cart_words' | null>
  put_off_by: Generated<'own_words' | null>
  watched_from: Generated<Date | null>
  created_by: string | null
  created_at: Date
  updated_at: Date
  deleted_at: Generated<Date | null>
}

/**
 * Amounts in minor units of the store's currency, times in hours since the last activity; a missing filter does not
 * apply.
 */
export interface StoredFilters {
  minMinor?: number
  maxMinor?: number
  minHours?: number
  maxHours?: number
  badge?: string
  country?: string
  productId?: string
  mailedBefore?: 'yes' | 'no'
}

export interface CampaignPeopleTable {
  store_id: string
  campaign_id: string
  address: string
}

export interface CampaignRunsTable {
  store_id: string
  campaign_id: string
  run: number
  id: string
  at: Date
  started_at: Date
  cursor_at: Generated<Date | null>
  cursor_id: Generated<string | null>
  planned_at: Generated<Date | null>
}

export interface AudiencesTable {
  store_id: string
  id: string
  name: string
  filters: ColumnType<StoredFilters, string, string>
  created_at: Date
}
