import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { CartItem } from '../../../shared/carts/carts.ts'
import type { Fold } from './facts.ts'

export interface CartsSchema {
  carts: CartsTable
  cart_badges: CartBadgesTable
  mailed_shoppers: MailedShoppersTable
  cart_counts: CartCountsTable
  cart_events: CartEventsTable
  orders: OrdersTable
}

export interface CartsTable {
  store_id: string
  id: string
  shopper_id: string
  status: 'active' | 'abandoned' | 'recovered' | 'purchased' | 'emptied' | 'lost' | 'merged'
  version: Generated<number>
  started_at: Date
  last_activity_at: Date
  abandon_at: Generated<Date | null>
  abandoned_at: Generated<Date | null>
  ended_at: Generated<Date | null>
  recovered_at: Generated<Date | null>
  pending_until: Generated<Date | null>
  lost_at: Date
  merged_into: Generated<string | null>
  opening_fact_id: string
  last_fact_at: Date
  last_fact_id: string
  customer_name: string
  email: Generated<string | null>
  phone: Generated<string | null>
  items: ColumnType<CartItem[], string, string>
  item_count: number
  value_minor: number
  abandoned_minor: Generated<number | null>
  currency: string
  coupons: ColumnType<string[], string | undefined, string>
  search: string
  fold: ColumnType<Fold, string, string>
  created_at: Date
  country: Generated<string | null>
  /** The shopper's when it had its last fact. */
  locale: Generated<string | null>
  device_class: GeneratedAlways<string | null>
  has_email: GeneratedAlways<boolean>
  has_phone: GeneratedAlways<boolean>
  product_keys: GeneratedAlways<string[] | null>
  flow_id: Generated<string | null>
  is_void: Generated<boolean>
  flow_choice: Generated<Record<string, unknown> | null>
  /** Whether it had a contact before its shopper was erased. */
  had_contact: Generated<boolean>
}

/** Message-related state of a cart. Without a row: "No Action", and no message sent. */
export interface CartBadgesTable {
  store_id: string
  cart_id: string
  badge: Generated<'No Action' | 'Email Sent' | 'SMS Sent' | 'WhatsApp Sent' | 'No Response' | 'Recovered'>
  last_sent_at: Generated<Date | null>
  no_response_at: Generated<Date | null>
  /** Maintained by triggers: the last activity of a listed cart. */
  listed_at: Generated<Date | null>
}

/** Maintained by triggers: shoppers who were sent a message. */
export interface MailedShoppersTable {
  store_id: string
  shopper_id: string
}

export interface CartCountsTable {
  store_id: string
  id: Generated<string>
  badge: string
  day: string
  change: number
  is_folded: Generated<boolean>
}

export interface CartEventsTable {
  store_id: string
  id: string
  cart_id: string
  at: Date
  kind: string
  detail: ColumnType<Record<string, unknown>, string | undefined, string>
}

export interface OrdersTable {
  store_id: string
  order_id: string
  shopper_id: Generated<string | null>
  cart_id: Generated<string | null>
  kind: string
  status: string
  created_at: Date
  modified_at: Date
  purchased_at: Generated<Date | null>
  currency: string
  total_minor: number
  net_minor: number
  email: Generated<string | null>
  phone: Generated<string | null>
  is_staff: Generated<boolean>
  content_hash: Generated<string>
  touchpoint_id: Generated<string | null>
  message_id: Generated<string | null>
  customer_id: Generated<string | null>
  cart_token: Generated<string | null>
  parent_id: Generated<string | null>
  product_ids: Generated<string[] | null>
  own_purchased_at: Generated<Date | null>
  own_net_minor: Generated<number | null>
  is_renewal: Generated<boolean>
  waiting_minor: Generated<number | null>
  is_unproven: Generated<boolean>
}
