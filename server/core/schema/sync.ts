import type { Generated } from 'kysely'
import type { SyncStream } from '../../../shared/stores.ts'

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
  /** Of the order check: where the next one goes on with the orders that await their payment; null: at the start. */
  pending_from: Generated<Date | null>
  lease_until: Generated<Date | null>
  started_at: Generated<Date | null>
  completed_start: Generated<Date | null>
  completed_at: Generated<Date | null>
  failed_at: Generated<Date | null>
  error_code: Generated<string | null>
  error_detail: Generated<string | null>
  /** In a row, since the last complete one. */
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
  /** What its owner entered, where the shop's pages show another price. */
  entered_minor: Generated<number | null>
  /** Before it last changed. */
  was_price_minor: Generated<number | null>
  currency: string
  image_url: Generated<string | null>
  permalink: Generated<string | null>
  is_available: boolean
  /** A variation for "any" of an attribute: the shopper's choice is in no id of the store. */
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
  /** Of their whole life in the store, as it counts them itself. */
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
