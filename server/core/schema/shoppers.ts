import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { LocaleSource } from '../../../shared/core/locale.ts'
import type { Language } from '../../../shared/delivery/preferences.ts'
import type { FactPayload, ReceivedPost } from './facts.ts'

export interface ShoppersSchema {
  shoppers: ShoppersTable
  shopper_keys: ShopperKeysTable
  customer_counts: CustomerCountsTable
  facts: FactsTable
  capture_inbox: CaptureInboxTable
  capture_hours: CaptureHoursTable
  unconfirmed_contacts: UnconfirmedContactsTable
}

export interface ShoppersTable {
  store_id: string
  id: string
  email: Generated<string | null>
  phone: Generated<string | null>
  first_name: Generated<string | null>
  last_name: Generated<string | null>
  country: Generated<string | null>
  country_source: Generated<string | null>
  is_member: Generated<boolean>
  created_at: Date
  /** Chosen on the preference page. */
  language: Generated<Language | null>
  /** Of the shop's pages, with its source. */
  locale: Generated<string | null>
  locale_source: Generated<LocaleSource | null>
  first_seen_at: Date
  is_registered: Generated<boolean>
  account_email: Generated<string | null>
  account_phone: Generated<string | null>
  account_first_name: Generated<string | null>
  account_last_name: Generated<string | null>
  company: Generated<string | null>
  last_login_at: Generated<Date | null>
  /** When the person was erased (C8, C10). */
  ended_at: Generated<Date | null>
  /** Whether they were a customer before. */
  had_contact: Generated<boolean>
  is_customer: GeneratedAlways<boolean>
  customer_email: GeneratedAlways<string | null>
  customer_phone: GeneratedAlways<string | null>
  customer_first_name: GeneratedAlways<string | null>
  customer_last_name: GeneratedAlways<string | null>
  customer_name: GeneratedAlways<string>
}

export interface CustomerCountsTable {
  store_id: string
  id: Generated<string>
  is_registered: boolean
  day: string
  change: number
  is_folded: Generated<boolean>
}

export interface ShopperKeysTable {
  store_id: string
  kind: 'email' | 'phone' | 'customer' | 'cart' | 'order' | 'device'
  value: string
  shopper_id: string
}

export interface FactsTable {
  store_id: string
  id: string
  shopper_id: string
  kind: 'snapshot' | 'contact' | 'order' | 'lost'
  source: 'capture' | 'plugin' | 'webhook' | 'sync' | 'engine'
  at: Date
  unique_key: string
  payload: ColumnType<FactPayload, string, string>
  received_at: Date
}

export interface CaptureInboxTable {
  store_id: string
  id: string
  received_at: Date
  post: ColumnType<ReceivedPost, string, string>
}

export interface CaptureHoursTable {
  store_id: string
  hour: Date
  contacts: number
}

export interface UnconfirmedContactsTable {
  store_id: string
  shopper_id: string
  kind: 'email' | 'phone'
  value: string
  reason: 'client' | 'store'
  said_at: Date
}
