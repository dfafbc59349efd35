import type { ColumnType, Generated } from 'kysely'
import type { ListedTemplate } from '../../../shared/messages/text-channels.ts'

export interface TextChannelsSchema {
  sending_budgets: SendingBudgetsTable
  sending_spend: SendingSpendTable
  delivery_reports: DeliveryReportsTable
  text_windows: TextWindowsTable
  channel_credentials: ChannelCredentialsTable
  inbound_messages: InboundMessagesTable
  price_lookups: PriceLookupsTable
  operator_text_contacts: OperatorTextContactsTable
}

export interface SendingBudgetsTable {
  account_id: string
  monthly_micros: number
  currency: string
  updated_at: Date
}

export interface SendingSpendTable {
  account_id: string
  month: string
  currency: string
  micros: Generated<number>
}

export interface DeliveryReportsTable {
  account_id: string
  channel: 'sms' | 'whatsapp'
  provider_id: string
  status: 'sent' | 'delivered' | 'read' | 'failed'
  code: string | null
  suppress: 'unsubscribed' | 'invalid' | null
  at: Date
}

export interface TextWindowsTable {
  account_id: string
  channel: 'sms' | 'whatsapp'
  address_hash: Buffer
  inbound_at: Date
}

export interface ChannelCredentialsTable {
  account_id: string
  channel: 'sms' | 'whatsapp'
  provider: 'twilio' | 'meta' | 'sandbox' | 'operator'
  hook_key: string
  encrypted: Buffer
  identity: ColumnType<{ accountSid?: string; phoneNumberId?: string; businessAccountId?: string }, string, string>
  senders: ColumnType<{ country: string | null; sender: string }[], string, string>
  template: ColumnType<TextTemplate | null, string | null, string | null>
  templates: ColumnType<ListedTemplate[], string, string>
  templates_at: Date | null
  check_answer: string
  checked_at: Date
  version: number
  updated_at: Date
}

export interface InboundMessagesTable {
  account_id: string
  channel: 'sms' | 'whatsapp'
  event_key: string
  address_hash: Buffer
  keyword: 'stop' | 'start' | 'help' | 'yes' | null
  at: Date
  reply_to: Generated<string | null>
  received_at: Date
}

export interface PriceLookupsTable {
  account_id: string
  provider_id: string
  channel: 'sms' | 'whatsapp'
  store_id: string
  message_id: string
  tries: number
  next_at: Date
}

export interface OperatorTextContactsTable {
  account_id: string
  address_hash: Buffer
  last_at: Date
}

/** An approved provider template and the Recoup variables that fill its placeholders. */
export interface TextTemplate {
  name: string
  language: string
  category: 'marketing' | 'utility'
  /** Approved text, with `{{1}}`, `{{2}}` … */
  text: string
  /** The variables for `{{1}}`, `{{2}}` … in order; the names match those of mail templates. */
  variables: ('customer_name' | 'cart_items' | 'cart_total' | 'checkout_link' | 'store_name')[]
  /**
   * Prefix of the template's URL button (`https://recoup.example/c/`); the rest of the checkout link becomes
   * `buttonUrlSuffix`. null: no button.
   */
  buttonUrlPrefix: string | null
}
