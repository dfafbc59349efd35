import type { Generated } from 'kysely'

export interface FlowsSchema {
  templates: TemplatesTable
  flows: FlowsTable
  flow_steps: FlowStepsTable
}

export interface TemplatesTable {
  store_id: string
  id: string
  key: string
  name: string
  subject: string
  body: string
  version: Generated<number>
  updated_at: Date
}

export interface FlowsTable {
  store_id: string
  id: string
  kind: Generated<'flow' | 'push'>
  name: string
  is_on: Generated<boolean>
  switched_on_at: Generated<Date | null>
  takes_from: Generated<Date | null>
  salt: string
  created_at: Date
  updated_at: Date
}

export interface FlowStepsTable {
  store_id: string
  flow_id: string
  id: Generated<string>
  step: number
  delay_minutes: number
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  template_id: string
  coupon_id: Generated<string | null>
  coupon_fallback: Generated<'without' | 'skip'>
  coupon_first_order_only: Generated<boolean>
  coupon_pause_days: Generated<number | null>
  coupon_above_minor: Generated<number | null>
}
