// Where a person stands in the database: what an export of them holds and what an erasure goes over. A table that stands in neither
// list fails a test.

/** How a table's rows are known for a person's. */
export type BelongsBy =
  | 'shopper'
  | 'shopper_id'
  | 'cart_id'
  | 'message_id'
  | 'order_id'
  | 'customer'
  | 'address_hash'
  | 'notice'
  | 'cells'
  | 'post'
  | 'account_hash'
  | 'report'

export interface PersonTable {
  name: string
  by: BelongsBy
  /** Columns that are no words of or about the person: the engine's own, and keys. */
  without?: readonly string[]
  /** Not in the export: secrets, or the same words a second time. */
  isLeftOut?: boolean
}

const clockwork = ['claim', 'worker_id', 'wake_at', 'version']

/** Of a store. */
export const personTables: readonly PersonTable[] = [
  { name: 'shoppers', by: 'shopper' },
  { name: 'shopper_keys', by: 'shopper_id' },
  { name: 'customers', by: 'customer' },
  { name: 'carts', by: 'shopper_id', without: ['fold', 'search', ...clockwork] },
  { name: 'cart_events', by: 'cart_id' },
  { name: 'orders', by: 'order_id', without: ['content_hash'] },
  { name: 'facts', by: 'shopper_id', without: ['unique_key'] },
  { name: 'capture_posts', by: 'post' },
  { name: 'messages', by: 'message_id', without: clockwork },
  { name: 'decisions', by: 'message_id' },
  { name: 'reminders', by: 'message_id' },
  { name: 'touches', by: 'message_id' },
  { name: 'visits', by: 'message_id' },
  { name: 'mail_reports', by: 'message_id' },
  { name: 'prices_due', by: 'message_id', isLeftOut: true },
  { name: 'link_tokens', by: 'message_id', isLeftOut: true },
  { name: 'consents', by: 'address_hash' },
  { name: 'consent_questions', by: 'address_hash' },
  { name: 'consent_refusals', by: 'cells' },
  { name: 'notifications', by: 'notice' },
]

/** Of an account. */
export const accountPersonTables: readonly PersonTable[] = [
  { name: 'suppressions', by: 'account_hash' },
  { name: 'suppression_removals', by: 'account_hash' },
  { name: 'person_erasures', by: 'account_hash', without: ['sealed'] },
  { name: 'inbound_texts', by: 'account_hash' },
  { name: 'text_windows', by: 'account_hash' },
  { name: 'delivery_reports', by: 'report' },
]

/** Why the others name no shopper. */
export const withoutPersons: Record<string, string> = {
  accounts: 'of the owner',
  users: 'of the team',
  members: 'of the team',
  invitations: 'of the team',
  email_changes: 'of the team',
  password_resets: 'of the team',
  sessions: 'of the team',
  subscriptions: 'of the account',
  plan_usage: 'of the account',
  sending_budgets: 'of the account',
  sending_spend: 'of the account',
  channel_credentials: 'of the account',
  bounce_mailboxes: 'of the account',
  receiver_pauses: 'of receiving domains; their answers are kept without addresses',
  stores: 'of the store',
  store_credentials: 'of the store',
  store_webhooks: 'of the store',
  link_hosts: 'of the store',
  store_send: 'clockwork',
  store_people: 'sums',
  sync_state: 'of the store',
  webhook_events: 'which delivery it was, not what was in it',
  products: 'of the store',
  templates: 'of the owner',
  flows: 'of the owner',
  flow_steps: 'of the owner',
  preference_wordings: 'of the owner',
  consent_relaxations: 'of the owner',
  consent_imports: 'an owner’s file; what of it is still kept is dropped with the person’s rows',
  send_jobs: 'which carts were asked for, by number',
  repeatable_requests: 'what an owner was answered; answers about the person’s messages are dropped with them',
  cart_counts: 'sums',
  rollup_changes: 'sums',
  rollups: 'sums',
  rollup_days: 'sums',
  live_watches: 'clockwork',
  alarms: 'of the store',
  alarm_watch: 'of this server',
  heartbeats: 'clockwork',
  heartbeat_hours: 'clockwork',
  sender_keys: 'of this server',
  instance: 'of this server',
  workers: 'of this server',
  rate_limits: 'keyed hashes, gone within the hour',
  migrations: 'of this server',
}
