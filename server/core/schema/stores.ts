import type { Generated } from 'kysely'
import type { DisconnectedBy } from '../../../shared/access/stores.ts'
import type { PlatformName, StoreRights } from '../../../shared/platforms/platforms.ts'
import type { CaptureMode } from '../../../shared/shoppers/capture-mode.ts'

export interface StoresSchema {
  stores: StoresTable
  sessions: SessionsTable
  store_credentials: StoreCredentialsTable
}

export interface StoresTable {
  id: string
  account_id: string
  platform: PlatformName
  url: string
  home_url: string
  name: string
  currency: string
  time_zone: string
  /** The shop's language; null: unknown. */
  locale: Generated<string | null>
  version: string
  base_country: Generated<string | null>
  selling_countries: Generated<string[] | null>
  has_checkout_link: Generated<boolean>
  /** Whether its prices include tax; null: unknown. */
  prices_include_tax: Generated<boolean | null>
  shows_tax: Generated<boolean | null>
  price_decimals: Generated<number | null>
  is_discount_sequential: Generated<boolean | null>
  can_write: Generated<boolean>
  rights: Generated<StoreRights | null>
  is_active: Generated<boolean>
  is_demo: Generated<boolean>
  is_address_proven: Generated<boolean>
  connected_at: Date
  disconnected_at: Generated<Date | null>
  /** null while connected, and for stores disconnected before this column existed. */
  disconnected_by: Generated<DisconnectedBy | null>
  capture_key: string
  capture_seen_at: Generated<Date | null>
  sender_name: Generated<string>
  sender_email: Generated<string | null>
  postal_address: Generated<string>
  abandonment_timeout_minutes: Generated<number>
  effective_timeout_minutes: Generated<number>
  attribution_window_days: Generated<number>
  cap_messages: Generated<number>
  cap_window_hours: Generated<number>
  quiet_from_minute: Generated<number>
  quiet_until_minute: Generated<number>
  text_cooldown_hours: Generated<number>
  /** Data kept before shoppers consent (C9); null: an older store whose team has not chosen. */
  before_consent: Generated<CaptureMode | null>
  sms_confirmation: Generated<'where_required' | 'page_script' | 'always'>
  checkout_seen_at: Generated<Date | null>
  settings_version: Generated<number>
  sending_paused_at: Generated<Date | null>
  sending_paused_by: Generated<string | null>
  /** Set while the plan's store limit excludes it. */
  rests_since: Generated<Date | null>
  /** The owner's choice of stores to pause first. */
  rests_first: Generated<boolean>
  /** C10; null: off. */
  retention_days: Generated<number | null>
}

export interface SessionsTable {
  account_id: string
  id: string
  user_id: string
  store_id: Generated<string | null>
  token_hash: Buffer
  created_at: Date
  last_seen_at: Date
  expires_at: Date
  second_factor_at: Generated<Date | null>
  viewed_until: Generated<Date | null>
  device: Generated<string | null>
}

export interface StoreCredentialsTable {
  account_id: string
  store_id: string
  encrypted: Buffer
  /** Access token obtained with the keys. */
  encrypted_token: Generated<Buffer | null>
  /** The keys before the last change, which sign deliveries until the webhooks are updated. */
  previous_encrypted: Generated<Buffer | null>
  previous_until: Generated<Date | null>
  updated_at: Date
}
