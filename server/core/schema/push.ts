import type { ColumnType, Generated } from 'kysely'
import type { PushFrequency, PushMethod, PushPrompt } from '../../../shared/delivery/push.ts'

export interface PushSchema {
  push_keys: PushKeysTable
  push_subscriptions: PushSubscriptionsTable
  push_settings: PushSettingsTable
  push_prompts: PushPromptsTable
  push_wordings: PushWordingsTable
  push_sightings: PushSightingsTable
}

export interface PushKeysTable {
  store_id: string
  id: string
  public_key: string
  encrypted: Buffer
  made_at: Date
  replaced_at: Generated<Date | null>
  ends_at: Generated<Date | null>
}

export interface PushSubscriptionsTable {
  store_id: string
  id: string
  shopper_id: string
  key_id: string
  endpoint_hash: Buffer
  encrypted: Buffer
  service: string
  device_class: 'phone' | 'desktop' | null
  marks: string[]
  created_at: Date
  seen_at: Date
}

export interface PushSettingsTable {
  store_id: string
  frequency: PushFrequency
  delay_minutes: number
  max_notifications: number
  updated_at: Date
}

export interface PushPromptsTable {
  store_id: string
  prompt: ColumnType<PushPrompt, string, string>
  updated_at: Date
}

export interface PushWordingsTable {
  store_id: string
  id: string
  words: string
  created_at: Date
}

export interface PushSightingsTable {
  store_id: string
  method: PushMethod
  origin: string
  widget_at: Date
  worker_at: Generated<Date | null>
  worker_version: Generated<number | null>
}
