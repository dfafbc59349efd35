// Every table, in one of three lists, with its data about shoppers and its part in the account export. Export and
// erasure of a person and the account export read it. A table without an entry fails `test/tables.test.ts`.

import type { DataKind } from '../../../shared/workspace/kept.ts'
import { consentTables } from './consent-tables.ts'
import { experimentTables } from './experiment-tables.ts'
import { figureTables } from './figure-tables.ts'
import { notificationTables } from './notification-tables.ts'
import { pluginTables } from './plugin-tables.ts'
import { pushTables } from './push-tables.ts'

/** Owner of a table's rows (Z1): a store, an account, or the whole installation. */
export type BelongsTo = 'store' | 'account' | 'global'

/** How a person's rows are found. */
export type BelongsBy =
  | 'shopper'
  | 'shopper_id'
  | 'cart_id'
  | 'message_id'
  | 'order_id'
  | 'customer'
  | 'address'
  | 'address_hash'
  | 'notice'
  | 'cells'
  | 'post'
  | 'account_hash'
  | 'report'

export interface PersonRows {
  by: BelongsBy
  /** The description for the person, as in “What we keep of a shopper”. */
  dataKind: DataKind
  /** Columns that are not about the person: internal state and keys. */
  without?: readonly string[]
  /** Excluded from the export: secrets and duplicates. */
  isLeftOut?: boolean
}

export interface ExportedRows {
  /** Of a store's table: the primary key after `store_id`, in its order. */
  key: readonly [column: string, type: 'uuid' | 'text' | 'integer'][]
  /** Columns that are not exported. */
  without?: readonly string[]
}

/** No such rows, with the reason. */
interface NoRows {
  none: string
}

export interface TableEntry {
  of: BelongsTo
  /** Rows about shoppers, for export and erasure. */
  person: PersonRows | NoRows
  /** Of an account's table. `whole`: all columns but tokens. `shaped`: a custom format. */
  export: ExportedRows | 'whole' | 'shaped' | NoRows
}

const clockwork = ['claim', 'worker_id', 'wake_at', 'version', 'lone_shopper_id', 'told_by']
const orderClockwork = [
  'content_hash',
  'cart_token',
  'product_ids',
  'own_purchased_at',
  'own_net_minor',
  'waiting_minor',
  'is_unproven',
]
/** Columns of carts and shoppers that repeat other columns for audiences and the customer list. */
const audienceCopies = ['country', 'has_email', 'has_phone', 'product_keys']
const listCopies = [
  'is_customer',
  'customer_email',
  'customer_phone',
  'customer_first_name',
  'customer_last_name',
  'customer_name',
]
const byId: ExportedRows['key'] = [['id', 'uuid']]

export const tables: Readonly<Record<string, TableEntry>> = {
  // accounts
  users: { of: 'global', person: { none: 'belongs to the team' }, export: 'shaped' },
  email_changes: { of: 'global', person: { none: 'belongs to the team' }, export: { none: 'secret' } },
  email_undos: { of: 'global', person: { none: 'belongs to the team' }, export: { none: 'secret' } },
  password_resets: { of: 'global', person: { none: 'belongs to the team' }, export: { none: 'secret' } },
  recovery_codes: { of: 'global', person: { none: 'belongs to the team' }, export: { none: 'secret' } },
  accounts: { of: 'account', person: { none: 'belongs to the owner' }, export: 'shaped' },
  members: { of: 'account', person: { none: 'belongs to the team' }, export: 'shaped' },
  invitations: { of: 'account', person: { none: 'belongs to the team' }, export: 'whole' },
  subscriptions: { of: 'account', person: { none: 'belongs to the account' }, export: 'whole' },
  plan_usage: { of: 'account', person: { none: 'belongs to the account' }, export: 'whole' },

  // billing
  billing_customers: { of: 'account', person: { none: 'belongs to the account' }, export: 'whole' },
  billing_events: { of: 'global', person: { none: 'ids of events at Stripe' }, export: { none: 'clockwork' } },
  checkout_sessions: { of: 'account', person: { none: 'belongs to the account' }, export: 'whole' },
  payments: { of: 'account', person: { none: 'belongs to the account' }, export: 'whole' },
  credit_balances: { of: 'account', person: { none: 'belongs to the account' }, export: 'whole' },
  credit_entries: { of: 'account', person: { none: 'prices of messages, by number' }, export: 'whole' },
  credit_requests: { of: 'account', person: { none: 'belongs to members' }, export: { none: 'clockwork' } },
  trial_claims: { of: 'global', person: { none: 'keyed hashes' }, export: { none: 'keyed hashes' } },

  // operator
  operator_actions: {
    of: 'global',
    person: { none: 'belongs to operators' },
    export: { none: 'belongs to this server' },
  },
  operator_problems: {
    of: 'account',
    person: { none: 'belongs to the account' },
    export: { none: 'belongs to this server' },
  },

  // stores
  stores: { of: 'account', person: { none: 'belongs to the store' }, export: 'shaped' },
  store_credentials: { of: 'account', person: { none: 'belongs to the store' }, export: { none: 'secret' } },
  sessions: { of: 'account', person: { none: 'belongs to the team' }, export: { none: 'secret' } },
  link_hosts: {
    of: 'global',
    person: { none: 'belongs to the store' },
    export: { none: 'a name in the DNS, and whether it leads here' },
  },

  // sync
  sync_state: { of: 'store', person: { none: 'belongs to the store' }, export: { none: 'clockwork' } },
  store_webhooks: { of: 'store', person: { none: 'belongs to the store' }, export: { none: 'secret' } },
  webhook_events: {
    of: 'store',
    person: { none: 'which delivery it was, not what was in it' },
    export: { none: 'what was delivered stands in facts' },
  },
  product_categories: {
    of: 'store',
    person: { none: 'belongs to the store' },
    export: { key: [['category_id', 'text']] },
  },
  products: {
    of: 'store',
    person: { none: 'belongs to the store' },
    export: {
      key: [
        ['product_id', 'text'],
        ['variation_id', 'text'],
      ],
    },
  },
  customers: {
    of: 'store',
    person: { by: 'customer', dataKind: 'contact' },
    export: { key: [['customer_id', 'text']] },
  },

  // shoppers
  capture_inbox: {
    of: 'store',
    person: { by: 'post', dataKind: 'carts' },
    export: { none: 'become facts within seconds' },
  },
  capture_hours: { of: 'store', person: { none: 'totals only' }, export: { none: 'totals only' } },
  shoppers: {
    of: 'store',
    person: { by: 'shopper', dataKind: 'contact', without: listCopies },
    export: { key: byId, without: listCopies },
  },
  retention_runs: {
    of: 'store',
    person: { none: 'totals only' },
    export: { none: 'how many people were erased, by night' },
  },
  customer_counts: { of: 'store', person: { none: 'totals only' }, export: { none: 'derived from shoppers' } },
  shopper_keys: {
    of: 'store',
    person: { by: 'shopper_id', dataKind: 'contact' },
    export: { none: 'derived from facts' },
  },
  unconfirmed_contacts: {
    of: 'store',
    person: { by: 'shopper_id', dataKind: 'contact' },
    export: { none: 'derived from facts' },
  },
  facts: {
    of: 'store',
    person: { by: 'shopper_id', dataKind: 'carts', without: ['unique_key'] },
    export: { key: byId },
  },

  // carts
  carts: {
    of: 'store',
    person: { by: 'shopper_id', dataKind: 'carts', without: ['fold', 'search', ...audienceCopies, ...clockwork] },
    export: { key: byId, without: ['fold', 'search', ...audienceCopies] },
  },
  cart_badges: {
    of: 'store',
    person: { by: 'cart_id', dataKind: 'carts', without: ['listed_at'] },
    export: { key: [['cart_id', 'uuid']], without: ['listed_at'] },
  },
  mailed_shoppers: {
    of: 'store',
    person: { none: 'derived from messages' },
    export: { none: 'derived from messages' },
  },
  cart_events: { of: 'store', person: { by: 'cart_id', dataKind: 'carts' }, export: { key: byId } },
  orders: {
    of: 'store',
    person: { by: 'order_id', dataKind: 'orders', without: orderClockwork },
    export: { key: [['order_id', 'text']], without: orderClockwork },
  },
  cart_counts: { of: 'store', person: { none: 'totals only' }, export: { none: 'derived from carts' } },

  // flows
  templates: { of: 'store', person: { none: 'belongs to the owner' }, export: { key: byId } },
  flows: { of: 'store', person: { none: 'belongs to the owner' }, export: { key: byId, without: ['salt'] } },
  flow_steps: {
    of: 'store',
    person: { none: 'belongs to the owner' },
    export: {
      key: [
        ['flow_id', 'uuid'],
        ['id', 'uuid'],
      ],
    },
  },
  flow_counts: { of: 'store', person: { none: 'totals only' }, export: { none: 'derived from messages' } },
  flow_variants: {
    of: 'store',
    person: { none: 'belongs to the owner' },
    export: {
      key: [
        ['step_id', 'uuid'],
        ['id', 'uuid'],
      ],
    },
  },
  flow_words: {
    of: 'store',
    person: { none: 'belongs to the owner' },
    export: {
      key: [
        ['step_id', 'uuid'],
        ['variant_id', 'uuid'],
        ['channel', 'text'],
      ],
    },
  },

  ...experimentTables,

  // brand
  brand_logos: {
    of: 'store',
    person: { none: 'belongs to the store' },
    export: { key: [['hash', 'text']], without: ['content'] },
  },
  brand_kits: { of: 'store', person: { none: 'belongs to the owner' }, export: { key: [] } },
  brand_proposals: {
    of: 'store',
    person: { none: 'belongs to the store' },
    export: { none: 'a logo that stands in brand_logos' },
  },
  mail_images: {
    of: 'store',
    person: { none: 'belongs to the store' },
    export: { key: [['hash', 'text']], without: ['content'] },
  },
  // campaigns
  campaigns: { of: 'store', person: { none: 'belongs to the owner' }, export: { key: byId } },
  campaign_people: {
    of: 'store',
    person: { by: 'address', dataKind: 'messages' },
    export: {
      key: [
        ['campaign_id', 'uuid'],
        ['address', 'text'],
      ],
    },
  },
  campaign_runs: {
    of: 'store',
    person: { none: 'when they were; the place one has come to is clockwork' },
    export: {
      key: [
        ['campaign_id', 'uuid'],
        ['run', 'integer'],
      ],
      without: ['cursor_at', 'cursor_id'],
    },
  },
  audiences: { of: 'store', person: { none: 'belongs to the owner' }, export: { key: byId } },

  // coupons
  coupons: {
    of: 'store',
    person: { none: 'belongs to the store; addresses a coupon is restricted to are kept as hashes' },
    export: { key: byId },
  },
  coupon_codes: {
    of: 'store',
    person: {
      by: 'message_id',
      dataKind: 'coupons',
      without: ['next_try_at', 'attempts', 'asked_at', 'derivation', 'terms', 'is_unwanted'],
    },
    export: {
      key: [
        ['message_id', 'uuid'],
        ['coupon_id', 'uuid'],
      ],
      without: ['next_try_at', 'terms'],
    },
  },
  order_coupons: {
    of: 'store',
    person: { by: 'order_id', dataKind: 'coupons' },
    export: {
      key: [
        ['order_id', 'text'],
        ['code', 'text'],
      ],
    },
  },

  // messages
  messages: {
    of: 'store',
    person: { by: 'message_id', dataKind: 'messages', without: clockwork },
    export: { key: byId, without: ['claim', 'worker_id', 'wake_at', 'lone_shopper_id', 'told_by'] },
  },
  send_schedule: { of: 'store', person: { none: 'clockwork' }, export: { none: 'clockwork' } },
  decisions: { of: 'store', person: { by: 'message_id', dataKind: 'messages' }, export: { key: byId } },
  message_compositions: {
    of: 'store',
    person: { none: 'clockwork: which messages, by number' },
    export: { none: 'clockwork' },
  },
  bulk_sends: { of: 'store', person: { none: 'which carts were asked for, by number' }, export: { key: byId } },
  manual_messages: {
    of: 'store',
    person: { by: 'message_id', dataKind: 'messages' },
    export: { key: [['message_id', 'uuid']] },
  },
  idempotency_keys: {
    of: 'store',
    person: { none: 'what an owner was answered; answers about the person’s messages are dropped with them' },
    export: { none: 'clockwork' },
  },
  link_tokens: {
    of: 'store',
    person: { by: 'message_id', dataKind: 'messages', isLeftOut: true },
    export: { none: 'secret' },
  },
  touchpoints: { of: 'store', person: { by: 'message_id', dataKind: 'engagement' }, export: { key: byId } },
  engagement_events: { of: 'store', person: { by: 'message_id', dataKind: 'engagement' }, export: { key: byId } },

  // text channels
  channel_credentials: { of: 'account', person: { none: 'belongs to the account' }, export: { none: 'secret' } },
  inbound_messages: {
    of: 'account',
    person: { by: 'account_hash', dataKind: 'replies' },
    export: { none: 'what follows from them stands in suppressions and consents' },
  },
  text_windows: { of: 'account', person: { by: 'account_hash', dataKind: 'replies' }, export: { none: 'clockwork' } },
  delivery_reports: {
    of: 'account',
    person: { by: 'report', dataKind: 'messages' },
    export: { none: 'what they say stands in messages' },
  },
  price_lookups: {
    of: 'store',
    person: { by: 'message_id', dataKind: 'messages', isLeftOut: true },
    export: { none: 'clockwork' },
  },
  operator_text_contacts: {
    of: 'account',
    person: { by: 'account_hash', dataKind: 'replies' },
    export: { none: 'clockwork' },
  },
  sending_budgets: { of: 'account', person: { none: 'belongs to the account' }, export: 'whole' },
  sending_spend: { of: 'account', person: { none: 'belongs to the account' }, export: 'whole' },

  ...pluginTables,
  ...pushTables,

  // email
  mail_servers: { of: 'account', person: { none: 'belongs to the account' }, export: { none: 'secret' } },
  sending_proofs: { of: 'account', person: { none: 'belongs to the account' }, export: { none: 'clockwork' } },
  sender_keys: { of: 'global', person: { none: 'belongs to this server' }, export: { none: 'belongs to this server' } },
  mail_reports: {
    of: 'store',
    person: { by: 'message_id', dataKind: 'messages' },
    export: { none: 'what they say stands in messages' },
  },
  bounce_mailboxes: { of: 'account', person: { none: 'belongs to the account' }, export: { none: 'secret' } },
  domain_throttles: {
    of: 'account',
    person: { none: 'belongs to receiving domains; their answers are kept without addresses' },
    export: { none: 'clockwork' },
  },

  ...consentTables,

  ...figureTables,

  // server
  heartbeats: { of: 'store', person: { none: 'clockwork' }, export: { none: 'clockwork' } },
  heartbeat_hours: { of: 'store', person: { none: 'clockwork' }, export: { none: 'clockwork' } },
  alarms: { of: 'store', person: { none: 'belongs to the store' }, export: { key: byId } },
  alarm_watch: { of: 'global', person: { none: 'belongs to this server' }, export: { none: 'belongs to this server' } },
  instance: { of: 'global', person: { none: 'belongs to this server' }, export: { none: 'belongs to this server' } },
  look_lease: { of: 'global', person: { none: 'belongs to this server' }, export: { none: 'belongs to this server' } },
  workers: { of: 'global', person: { none: 'belongs to this server' }, export: { none: 'belongs to this server' } },
  rate_limits: {
    of: 'global',
    person: { none: 'keyed hashes, gone within the hour' },
    export: { none: 'belongs to this server' },
  },
  live_watches: { of: 'store', person: { none: 'clockwork' }, export: { none: 'clockwork' } },
  migrations: { of: 'global', person: { none: 'belongs to this server' }, export: { none: 'belongs to this server' } },

  ...notificationTables,
}
