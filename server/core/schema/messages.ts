import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { OriginKind } from '../../../shared/carts/carts.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'

export interface MessagesSchema {
  messages: MessagesTable
  send_schedule: SendScheduleTable
  decisions: DecisionsTable
  decision_records: DecisionRecordsView
  link_tokens: LinkTokensTable
  touchpoints: TouchpointsTable
  engagement_events: EngagementEventsTable
  bulk_sends: BulkSendsTable
  manual_messages: ManualMessagesTable
  message_compositions: MessageCompositionsTable
  idempotency_keys: IdempotencyKeysTable
}

export interface MessagesTable {
  store_id: string
  id: string
  shopper_id: string
  cart_id: string | null
  origin_kind: OriginKind
  origin_id: string
  step_id: Generated<string | null>
  step: number
  purchases_since: Generated<Date | null>
  merged_from: Generated<string | null>
  lone_shopper_id: GeneratedAlways<string | null>
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  channels: Generated<('email' | 'sms' | 'whatsapp' | 'push')[] | null>
  variant_id: Generated<string | null>
  state: MessageState
  reason: Generated<string | null>
  due_at: Date
  expires_at: Date
  wake_at: Date
  claim: Generated<string | null>
  worker_id: Generated<string | null>
  attempts: Generated<number>
  template_id: Generated<string | null>
  template_version: Generated<number | null>
  to_address: Generated<string | null>
  told_by: Generated<string[] | null>
  coupon_id: Generated<string | null>
  coupon_code: Generated<string | null>
  subject: Generated<string | null>
  body_html: Generated<string | null>
  body_text: Generated<string | null>
  provider_id: Generated<string | null>
  provider_response: Generated<string | null>
  segments: Generated<number | null>
  cost_micros: Generated<number | null>
  cost_currency: Generated<string | null>
  decided_at: Generated<Date | null>
  sending_at: Generated<Date | null>
  is_first_mail: Generated<boolean>
  cart_abandoned_at: Generated<Date | null>
  answer: Generated<Record<string, unknown> | null>
  judged: Generated<Record<string, unknown> | null>
  finished_at: Generated<Date | null>
  unsubscribed_at: Generated<Date | null>
  created_at: Date
  updated_at: Date
}

export interface SendScheduleTable {
  store_id: string
  next_due_at: Generated<Date | null>
  wake_reasons: Generated<string[]>
  lease_until: Generated<Date | null>
}

export interface DecisionsTable {
  store_id: string
  id: string
  message_id: string
  at: Date
  outcome: 'send' | 'hold' | 'skip' | 'cancel' | 'result'
  reason: string
  until: Generated<Date | null>
  inputs: ColumnType<Record<string, unknown>, string, string>
  /** The result of a mail, written together with the decision to send it. */
  result: Generated<string | null>
  result_at: Generated<Date | null>
  result_inputs: ColumnType<Record<string, unknown> | null, string | undefined, string | null>
}

/** Every decision and every result. */
export interface DecisionRecordsView {
  store_id: string
  id: string
  message_id: string
  at: Date
  outcome: DecisionsTable['outcome']
  reason: string
  until: Date | null
  inputs: Record<string, unknown>
}

export interface LinkTokensTable {
  token_hash: Buffer
  store_id: string
  message_id: string | null
  cart_id: string | null
  purpose: 'restore' | 'click' | 'unsubscribe' | 'preferences' | 'back' | 'push'
  target: Generated<string | null>
  is_test: Generated<boolean>
  created_at: Date
  expires_at: Date
  asked_at: Generated<Date | null>
}

export interface TouchpointsTable {
  store_id: string
  id: string
  message_id: string
  cart_id: string | null
  shopper_id: string
  kind: 'click' | 'restore' | 'coupon'
  is_human: boolean
  class_reason: string
  at: Date
}

export interface EngagementEventsTable {
  store_id: string
  id: string
  message_id: string
  kind: 'open' | 'click' | 'unsubscribe_link' | 'honeypot'
  link: string
  target: Generated<string | null>
  class: 'human' | 'machine' | 'unknown'
  class_reason: string
  at: Date
}

export interface BulkSendsTable {
  store_id: string
  id: string
  channel: 'email' | 'sms' | 'whatsapp'
  asked_by: Generated<string | null>
  send_at: Generated<Date | null>
  coupon_id: Generated<string | null>
  cart_url: Generated<string | null>
  missing: Generated<string[]>
  created_at: Date
}

export interface ManualMessagesTable {
  store_id: string
  message_id: string
  cart_id: string | null
  job_id: Generated<string | null>
  asked_by: Generated<string | null>
  to_address: Generated<string | null>
  template_id: Generated<string | null>
  subject: Generated<string | null>
  body: Generated<string | null>
  design: Generated<MailDocument | null>
  coupon_id: Generated<string | null>
  cart_url: Generated<string | null>
  icon_url: Generated<string | null>
  is_immediate: boolean
  overrides_holdout: Generated<boolean>
  is_current: Generated<boolean>
  created_at: Date
}

export interface MessageCompositionsTable {
  store_id: string
  message_id: string
  attempts: number
  at: Date
}

export interface IdempotencyKeysTable {
  store_id: string
  user_id: string
  key: string
  body_hash: Buffer
  made: string
  answer: ColumnType<unknown, string | null | undefined, string>
  created_at: Date
  expires_at: Date
}

export type MessageState =
  | 'scheduled'
  | 'held'
  | 'claimed'
  | 'sending'
  | 'sent'
  | 'delivered'
  | 'failed'
  | 'unknown'
  | 'skipped'
  | 'cancelled'
