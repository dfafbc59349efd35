import type { ExportedTable } from './export-sql.ts'

// What an export holds and what it leaves out, and why. A table that stands in neither list fails a test.

/** Of each store, in the order of the files. */
export const storeTables: readonly ExportedTable[] = [
  {
    name: 'products',
    key: [
      ['product_id', 'text'],
      ['variation_id', 'text'],
    ],
  },
  { name: 'customers', key: [['customer_id', 'text']] },
  { name: 'shoppers', key: [['id', 'uuid']] },
  { name: 'carts', key: [['id', 'uuid']], without: ['fold', 'search'] },
  { name: 'cart_events', key: [['id', 'uuid']] },
  { name: 'orders', key: [['order_id', 'text']], without: ['content_hash'] },
  { name: 'facts', key: [['id', 'uuid']] },
  { name: 'templates', key: [['id', 'uuid']] },
  { name: 'flows', key: [['id', 'uuid']], without: ['salt'] },
  {
    name: 'flow_steps',
    key: [
      ['flow_id', 'uuid'],
      ['step', 'integer'],
    ],
  },
  { name: 'messages', key: [['id', 'uuid']], without: ['claim', 'worker_id', 'wake_at'] },
  { name: 'send_jobs', key: [['id', 'uuid']] },
  { name: 'reminders', key: [['message_id', 'uuid']] },
  { name: 'decisions', key: [['id', 'uuid']] },
  { name: 'touches', key: [['id', 'uuid']] },
  { name: 'visits', key: [['id', 'uuid']] },
  { name: 'consents', key: [['id', 'uuid']] },
  { name: 'consent_relaxations', key: [['id', 'uuid']] },
  { name: 'preference_wordings', key: [['language', 'text']] },
  { name: 'consent_imports', key: [['id', 'uuid']], without: ['content'] },
  { name: 'notifications', key: [['id', 'uuid']] },
  { name: 'alarms', key: [['id', 'uuid']] },
]

export const accountTables = [
  'invitations',
  'subscriptions',
  'plan_usage',
  'suppressions',
  'suppression_removals',
  'sending_budgets',
  'sending_spend',
] as const

/** In the export in a form of their own. */
export const shapedTables = ['accounts', 'members', 'users', 'stores'] as const

export const leftOut: Record<string, string> = {
  store_credentials: 'secret',
  channel_credentials: 'secret',
  bounce_mailboxes: 'secret',
  store_webhooks: 'secret',
  link_tokens: 'secret',
  sessions: 'secret',
  password_resets: 'secret',
  email_changes: 'secret',
  person_erasures: 'what is kept of them names nobody',
  consent_questions: 'whether a consent was to be confirmed; what was answered stands in consents',
  consent_refusals: 'rows of a file of the account’s own that became nothing; gone after a week',
  shopper_keys: 'derived from facts',
  cart_counts: 'derived from carts',
  rollup_changes: 'derived from carts and orders',
  rollups: 'derived from carts and orders',
  rollup_days: 'derived from carts and orders',
  store_people: 'derived from carts and orders',
  capture_posts: 'become facts within seconds',
  webhook_events: 'what was delivered stands in facts',
  store_send: 'clockwork',
  receiver_pauses: 'clockwork',
  link_hosts: 'a name in the DNS, and whether it leads here',
  repeatable_requests: 'clockwork',
  text_windows: 'clockwork',
  inbound_texts: 'what follows from them stands in suppressions and consents',
  prices_due: 'clockwork',
  delivery_reports: 'what they say stands in messages',
  mail_reports: 'what they say stands in messages',
  live_watches: 'clockwork',
  sync_state: 'clockwork',
  heartbeats: 'clockwork',
  heartbeat_hours: 'clockwork',
  sender_keys: 'of this server',
  alarm_watch: 'of this server',
  instance: 'of this server',
  workers: 'of this server',
  rate_limits: 'of this server',
  migrations: 'of this server',
}
