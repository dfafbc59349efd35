import type { ColumnType, Generated } from 'kysely'
import type { AdmittedPost, FactPayload } from './facts.ts'

export interface ShoppersSchema {
  shoppers: ShoppersTable
  shopper_keys: ShopperKeysTable
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
  arm: Generated<'treated' | 'control' | null>
  arm_at: Generated<Date | null>
  is_member: Generated<boolean>
  created_at: Date
  language: Generated<'en' | 'de' | null>
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
  post: ColumnType<AdmittedPost, string, string>
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
