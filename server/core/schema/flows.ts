import type { Generated } from 'kysely'
import type { FlowChannel, FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'

export interface FlowsSchema {
  templates: TemplatesTable
  flows: FlowsTable
  flow_steps: FlowStepsTable
  flow_variants: FlowVariantsTable
  flow_words: FlowWordsTable
}

export interface TemplatesTable {
  store_id: string
  id: string
  key: string
  name: string
  subject: string
  body: string
  /** null: a text. Otherwise subject and body are its words. */
  design: Generated<MailDocument | null>
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
  position: Generated<number>
  conditions: Generated<FlowConditions | null>
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
  fallback: Generated<FlowChannel[]>
  conditions: Generated<FlowConditions | null>
  added_at: Generated<Date | null>
  removed_at: Generated<Date | null>
  template_id: string
  coupon_id: Generated<string | null>
  coupon_fallback: Generated<'without' | 'skip'>
  coupon_first_order_only: Generated<boolean>
  coupon_pause_days: Generated<number | null>
  coupon_above_minor: Generated<number | null>
}

export interface FlowVariantsTable {
  store_id: string
  flow_id: string
  step_id: string
  id: string
  place: number
  share_percent: number
  ended_at: Generated<Date | null>
}

export interface FlowWordsTable {
  store_id: string
  flow_id: string
  step_id: string
  variant_id: string
  channel: FlowChannel
  template_id: string
}
