import type { Generated } from 'kysely'
import type { SyncStream } from '../../../shared/access/stores.ts'

export interface SyncSchema {
  sync_state: SyncStateTable
  store_webhooks: StoreWebhooksTable
  webhook_events: WebhookEventsTable
  products: ProductsTable
  product_categories: ProductCategoriesTable
  customers: CustomersTable
}

export interface SyncStateTable {
  store_id: string
  stream: SyncStream
  watermark: Generated<Date | null>
  cursor_page: Generated<number | null>
  /** Where the next order check continues with orders that await payment; null: at the start. */
  pending_from: Generated<Date | null>
  lease_until: Generated<Date | null>
  started_at: Generated<Date | null>
  completed_start: Generated<Date | null>
  completed_at: Generated<Date | null>
  failed_at: Generated<Date | null>
  error_code: Generated<string | null>
  error_detail: Generated<string | null>
  /** Consecutive failures since the last complete sync. */
  failures: Generated<number>
  rows_seen: Generated<number>
}

export interface StoreWebhooksTable {
  store_id: string
  topic: string
  webhook_id: string
  encrypted_secret: Buffer
  last_delivery_at: Generated<Date | null>
  status: string
  checked_at: Date
}

export interface WebhookEventsTable {
  store_id: string
  event_key: string
  topic: string
  received_at: Date
}

export interface ProductsTable {
  store_id: string
  product_id: string
  variation_id: Generated<string>
  name: string
  sku: Generated<string | null>
  price_minor: number
  /** The price entered by the owner, where the shop's pages show another one. */
  entered_minor: Generated<number | null>
  /** The price before its last change. */
  was_price_minor: Generated<number | null>
  currency: string
  image_url: Generated<string | null>
  permalink: Generated<string | null>
  is_available: boolean
  /** A variation for "any" value of an attribute: no id in the store records the shopper's choice. */
  has_open_choice: Generated<boolean>
  stock_quantity: Generated<number | null>
  is_on_sale: Generated<boolean | null>
  modified_at: Generated<Date | null>
  seen_at: Date
  category_ids: Generated<string[] | null>
}

export interface CustomersTable {
  store_id: string
  customer_id: string
  email: Generated<string | null>
  phone: Generated<string | null>
  first_name: Generated<string | null>
  last_name: Generated<string | null>
  company: Generated<string | null>
  country: Generated<string | null>
  created_at: Generated<Date | null>
  modified_at: Generated<Date | null>
  last_login_at: Generated<Date | null>
  /** Lifetime orders as counted by the store. */
  orders_count: Generated<number | null>
  spent_minor: Generated<number | null>
  seen_at: Date
}

export interface ProductCategoriesTable {
  store_id: string
  category_id: string
  name: string
  seen_at: Date
}
