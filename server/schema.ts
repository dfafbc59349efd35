import type { ColumnType, Generated } from 'kysely'
import type { CapturePost } from '../shared/capture.ts'
import type { CartItem } from '../shared/carts.ts'
import type { ConsentEvidence, ImportMapping } from '../shared/ledger.ts'
import type { SuppressionReason } from '../shared/suppressions.ts'
import type { ListedTemplate } from '../shared/text-channels.ts'
import type { FactPayload, Fold } from './carts/fold.ts'
import type { TextTemplate } from './channels/channel.ts'
import type { ConsentRule } from './shoppers/consent-table.ts'

// The tables as Kysely sees them; `db/migrations` is the source. JSON columns are written as text and read parsed.

export interface UsersTable {
  id: string
  email: string
  name: string
  password_hash: string
  created_at: Date
}

export interface AccountsTable {
  id: string
  name: string
  is_demo: Generated<boolean>
  created_at: Date
  deleted_at: Generated<Date | null>
}

export interface MembersTable {
  account_id: string
  user_id: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  created_at: Date
  entered_at: Generated<Date | null>
}

export interface InvitationsTable {
  account_id: string
  id: string
  email: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  invited_by: string | null
  token_hash: Generated<Buffer | null>
  created_at: Date
  sent_at: Generated<Date | null>
  mail_problem: Generated<string | null>
  expires_at: Date
}

export interface EmailChangesTable {
  user_id: string
  email: string
  token_hash: Generated<Buffer | null>
  created_at: Date
  expires_at: Date
}

export interface PasswordResetsTable {
  token_hash: Buffer
  user_id: string
  created_at: Date
  expires_at: Date
  used_at: Generated<Date | null>
}

export interface SubscriptionsTable {
  account_id: string
  plan: 'free' | 'starter' | 'growth'
  status: 'active' | 'trialing' | 'past_due' | 'canceled'
  next_billing_at: Generated<Date | null>
  updated_at: Date
}

export interface PlanUsageTable {
  account_id: string
  month: string
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  used: Generated<number>
}

export interface SuppressionsTable {
  account_id: string
  address_hash: Buffer
  channel: 'all' | 'email' | 'sms' | 'whatsapp' | 'push'
  address: Generated<string | null>
  reason: SuppressionReason
  source: string
  created_at: Date
  note: Generated<string | null>
  added_by: Generated<string | null>
}

export interface SuppressionRemovalsTable {
  account_id: string
  id: string
  address_hash: Buffer
  address: string | null
  channel: SuppressionsTable['channel']
  reason: SuppressionReason
  source: string
  created_at: Date
  removed_by: string | null
  removed_at: Date
}

export interface PersonErasuresTable {
  account_id: string
  id: string
  address_hash: Buffer
  sealed: Buffer | null
  asked_by: string | null
  asked_at: Date
  finished_at: Generated<Date | null>
  stores_total: number
  stores_done: Generated<number>
  counts: ColumnType<Record<string, number>, string | undefined, string>
}

export interface SenderKeysTable {
  domain: string
  selector: string
  public_key: string
  sealed: Buffer
  created_at: Date
  seen_at: Generated<Date | null>
  checked_at: Generated<Date | null>
}

export interface StoresTable {
  id: string
  account_id: string
  platform: 'woocommerce' | 'shopify'
  url: string
  home_url: string
  name: string
  currency: string
  time_zone: string
  version: string
  base_country: Generated<string | null>
  selling_countries: Generated<string[] | null>
  has_checkout_link: Generated<boolean>
  can_write: Generated<boolean>
  is_active: Generated<boolean>
  is_demo: Generated<boolean>
  connected_at: Date
  disconnected_at: Generated<Date | null>
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
  sms_confirmation: Generated<'where_required' | 'always'>
  settings_version: Generated<number>
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
  device: Generated<string | null>
}

export interface StoreCredentialsTable {
  account_id: string
  store_id: string
  sealed: Buffer
  updated_at: Date
}

export interface SyncStateTable {
  store_id: string
  stream: 'fence' | 'import' | 'sweep' | 'customers' | 'products' | 'webhooks'
  watermark: Generated<Date | null>
  cursor_page: Generated<number | null>
  lease_until: Generated<Date | null>
  started_at: Generated<Date | null>
  completed_start: Generated<Date | null>
  completed_at: Generated<Date | null>
  failed_at: Generated<Date | null>
  error_code: Generated<string | null>
  error_detail: Generated<string | null>
  rows_seen: Generated<number>
}

export interface StoreWebhooksTable {
  store_id: string
  topic: string
  webhook_id: string
  sealed_secret: Buffer
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
  currency: string
  image_url: Generated<string | null>
  permalink: Generated<string | null>
  is_available: boolean
  stock_quantity: Generated<number | null>
  modified_at: Generated<Date | null>
  seen_at: Date
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
  seen_at: Date
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

export interface CapturePostsTable {
  store_id: string
  id: string
  received_at: Date
  post: ColumnType<CapturePost, string, string>
}

export interface CartCountsTable {
  store_id: string
  id: Generated<string>
  badge: string
  day: string
  change: number
  is_folded: Generated<boolean>
}

export interface LiveWatchesTable {
  store_id: string
  until: Date
}

export interface StorePeopleTable {
  store_id: string
  counted_at: Date
  active: number
  active_before: number
}

export interface CartsTable {
  store_id: string
  id: string
  shopper_id: string
  status: 'active' | 'abandoned' | 'recovered' | 'purchased' | 'emptied' | 'lost' | 'merged'
  badge: Generated<'No Action' | 'Email Sent' | 'SMS Sent' | 'WhatsApp Sent' | 'No Response' | 'Recovered'>
  version: Generated<number>
  started_at: Date
  last_activity_at: Date
  abandon_at: Generated<Date | null>
  abandoned_at: Generated<Date | null>
  ended_at: Generated<Date | null>
  recovered_at: Generated<Date | null>
  pending_until: Generated<Date | null>
  lost_at: Date
  no_response_at: Generated<Date | null>
  last_handed_over_at: Generated<Date | null>
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
  currency: string
  coupons: ColumnType<string[], string | undefined, string>
  search: string
  fold: ColumnType<Fold, string, string>
  created_at: Date
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
  touch_id: Generated<string | null>
  message_id: Generated<string | null>
}

export interface TemplatesTable {
  store_id: string
  id: string
  key: string
  name: string
  subject: string
  body: string
  version: Generated<number>
  updated_at: Date
}

export interface FlowsTable {
  store_id: string
  id: string
  name: string
  is_on: Generated<boolean>
  switched_on_at: Generated<Date | null>
  takes_from: Generated<Date | null>
  holdout_bps: Generated<number>
  salt: string
  created_at: Date
  updated_at: Date
}

export interface FlowStepsTable {
  store_id: string
  flow_id: string
  step: number
  delay_minutes: number
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  template_id: string
}

export interface MessagesTable {
  store_id: string
  id: string
  cart_id: string
  shopper_id: string
  origin: string
  step: number
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  state:
    | 'scheduled'
    | 'held'
    | 'claimed'
    | 'handed_over'
    | 'sent'
    | 'delivered'
    | 'failed'
    | 'unknown'
    | 'skipped'
    | 'cancelled'
  reason: Generated<string | null>
  due_at: Date
  expires_at: Date
  wake_at: Date
  claim: Generated<string | null>
  worker_id: Generated<string | null>
  attempts: Generated<number>
  template_id: Generated<string | null>
  template_version: Generated<number | null>
  to_address: Generated<string | null>
  subject: Generated<string | null>
  body_html: Generated<string | null>
  body_text: Generated<string | null>
  provider_id: Generated<string | null>
  provider_response: Generated<string | null>
  segments: Generated<number | null>
  cost_micros: Generated<number | null>
  cost_currency: Generated<string | null>
  decided_at: Generated<Date | null>
  handed_over_at: Generated<Date | null>
  finished_at: Generated<Date | null>
  created_at: Date
  updated_at: Date
}

export interface StoreSendTable {
  store_id: string
  next_due_at: Generated<Date | null>
  lease_until: Generated<Date | null>
}

export interface DecisionsTable {
  store_id: string
  id: string
  message_id: string
  at: Date
  outcome: 'send' | 'hold' | 'skip' | 'cancel' | 'result'
  reason: string
  until: Generated<Date | null>
  inputs: ColumnType<Record<string, unknown>, string, string>
}

export interface LinkTokensTable {
  token_hash: Buffer
  store_id: string
  message_id: string | null
  cart_id: string
  purpose: 'restore' | 'click' | 'unsubscribe' | 'preferences'
  target: Generated<string | null>
  is_test: Generated<boolean>
  created_at: Date
  expires_at: Date
}

export interface BounceMailboxesTable {
  account_id: string
  address: string
  host: string
  port: number
  user_name: string
  sealed: Buffer
  version: Generated<number>
  uid_validity: string | null
  last_uid: Generated<number>
  reports: Generated<number>
  read_at: Date | null
  problem: string | null
  next_read_at: Date
}

export interface TouchesTable {
  store_id: string
  id: string
  message_id: string
  cart_id: string
  shopper_id: string
  kind: 'click' | 'restore' | 'coupon'
  is_human: boolean
  class_reason: string
  at: Date
}

export interface VisitsTable {
  store_id: string
  id: string
  message_id: string
  kind: 'open' | 'click' | 'way_out' | 'trap'
  link: string
  class: 'human' | 'machine' | 'unknown'
  class_reason: string
  at: Date
}

export interface ConsentsTable {
  store_id: string
  id: string
  address_hash: Buffer
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  status: 'pending' | 'granted' | 'withdrawn'
  source: string
  wording: Generated<string | null>
  at: Date
  is_confirmed: Generated<boolean>
  who: Generated<string | null>
  evidence: ColumnType<ConsentEvidence | null, string | null | undefined, string | null>
}

export interface ConsentQuestionsTable {
  store_id: string
  channel: 'sms' | 'whatsapp'
  address_hash: Buffer
  phone: string | null
  country: Generated<string | null>
  state: 'waiting' | 'asked' | 'answered' | 'failed' | 'dropped'
  wording: Generated<string | null>
  created_at: Date
  due_at: Date
  asked_at: Generated<Date | null>
  provider_id: Generated<string | null>
}

export interface ConsentRelaxationsTable {
  store_id: string
  id: string
  channel: 'email' | 'sms'
  country: string
  from_rule: ConsentRule
  to_rule: ConsentRule
  legal_ground: string
  created_at: Date
  created_by: string | null
  created_by_name: string
  ended_at: Generated<Date | null>
  ended_by: Generated<string | null>
  ended_by_name: Generated<string | null>
}

export interface PreferenceWordingsTable {
  store_id: string
  language: 'en' | 'de'
  headline: string | null
  intro: string | null
  email: string | null
  sms: string | null
  whatsapp: string | null
  updated_at: Date
}

export interface ConsentImportsTable {
  store_id: string
  id: string
  file_name: string
  content: string | null
  delimiter: string
  columns: string[]
  row_count: number
  state: 'uploaded' | 'running' | 'done' | 'failed'
  mapping: ColumnType<ImportMapping | null, string | null | undefined, string | null>
  legal_ground: Generated<string | null>
  confirmed_by: Generated<string | null>
  uploaded_at: Date
  confirmed_at: Generated<Date | null>
  finished_at: Generated<Date | null>
  done_count: Generated<number>
  added_count: Generated<number>
  known_count: Generated<number>
  refused_count: Generated<number>
}

export interface ConsentRefusalsTable {
  store_id: string
  import_id: string
  line: number
  address_hash: Buffer | null
  cells: string[]
  problem: string
  at: Date
}

export interface NotificationsTable {
  store_id: string
  id: string
  type: string
  title: string
  message: string
  data: ColumnType<Record<string, unknown>, string | undefined, string>
  zone: ColumnType<{ city: string; country: string; region?: string; timezone?: string }, string | undefined, string>
  created_at: Date
  read_at: Generated<Date | null>
}

export interface InstanceTable {
  is_only: Generated<boolean>
  fingerprint: string
  is_paused: Generated<boolean>
  paused_reason: Generated<string | null>
  created_at: Date
}

export interface WorkersTable {
  id: string
  started_at: Date
  seen_at: Date
  steady_since: Date
}

export interface RateLimitsTable {
  key: string
  points: Generated<number>
  expire: Generated<number | null>
}

export interface HeartbeatsTable {
  store_id: string
  stage: string
  watched_since: Date
  seen_at: Generated<Date | null>
  suspect_since: Generated<Date | null>
  overdue: Generated<number>
  excused_until: Generated<Date | null>
  rates: Generated<number[] | null>
  rated_at: Generated<Date | null>
}

export interface HeartbeatHoursTable {
  store_id: string
  stage: string
  hour: Date
  minutes: number
}

export interface AlarmsTable {
  store_id: string
  id: string
  stage: string
  cause: string
  raised_at: Date
  resolved_at: Generated<Date | null>
}

export interface AlarmWatchTable {
  is_only: Generated<boolean>
  ticked_at: Date
  watching_since: Date
}

export interface SendingBudgetsTable {
  account_id: string
  monthly_micros: number
  currency: string
  updated_at: Date
}

export interface SendingSpendTable {
  account_id: string
  month: string
  currency: string
  micros: Generated<number>
}

export interface DeliveryReportsTable {
  account_id: string
  channel: 'sms' | 'whatsapp'
  provider_id: string
  status: 'sent' | 'delivered' | 'read' | 'failed'
  code: string | null
  suppress: 'unsubscribed' | 'invalid' | null
  at: Date
}

export interface TextWindowsTable {
  account_id: string
  channel: 'sms' | 'whatsapp'
  address_hash: Buffer
  inbound_at: Date
}

export interface SendJobsTable {
  store_id: string
  id: string
  channel: 'email' | 'sms' | 'whatsapp'
  asked_by: Generated<string | null>
  send_at: Generated<Date | null>
  missing: Generated<string[]>
  created_at: Date
}

export interface RemindersTable {
  store_id: string
  message_id: string
  cart_id: string
  job_id: Generated<string | null>
  asked_by: Generated<string | null>
  to_address: Generated<string | null>
  template_id: Generated<string | null>
  subject: Generated<string | null>
  body: Generated<string | null>
  is_immediate: boolean
  overrides_holdout: Generated<boolean>
  is_current: Generated<boolean>
  created_at: Date
}

export interface RepeatableRequestsTable {
  store_id: string
  user_id: string
  key: string
  body_hash: Buffer
  made: string
  answer: ColumnType<unknown, string | null | undefined, string>
  created_at: Date
  expires_at: Date
}

export interface ChannelCredentialsTable {
  account_id: string
  channel: 'sms' | 'whatsapp'
  provider: 'twilio' | 'meta' | 'sandbox'
  hook_key: string
  sealed: Buffer
  identity: ColumnType<{ accountSid?: string; phoneNumberId?: string; businessAccountId?: string }, string, string>
  senders: ColumnType<{ country: string | null; sender: string }[], string, string>
  template: ColumnType<TextTemplate | null, string | null, string | null>
  templates: ColumnType<ListedTemplate[], string, string>
  templates_at: Date | null
  check_answer: string
  checked_at: Date
  version: number
  updated_at: Date
}

export interface InboundTextsTable {
  account_id: string
  channel: 'sms' | 'whatsapp'
  event_key: string
  address_hash: Buffer
  keyword: 'stop' | 'start' | 'help' | 'yes' | null
  at: Date
  reply_to: Generated<string | null>
  received_at: Date
}

export interface PricesDueTable {
  account_id: string
  provider_id: string
  channel: 'sms' | 'whatsapp'
  store_id: string
  message_id: string
  tries: number
  next_at: Date
}

export interface Schema {
  users: UsersTable
  accounts: AccountsTable
  members: MembersTable
  invitations: InvitationsTable
  email_changes: EmailChangesTable
  password_resets: PasswordResetsTable
  subscriptions: SubscriptionsTable
  plan_usage: PlanUsageTable
  suppressions: SuppressionsTable
  suppression_removals: SuppressionRemovalsTable
  person_erasures: PersonErasuresTable
  sender_keys: SenderKeysTable
  bounce_mailboxes: BounceMailboxesTable
  stores: StoresTable
  sessions: SessionsTable
  store_credentials: StoreCredentialsTable
  sync_state: SyncStateTable
  store_webhooks: StoreWebhooksTable
  webhook_events: WebhookEventsTable
  products: ProductsTable
  customers: CustomersTable
  shoppers: ShoppersTable
  shopper_keys: ShopperKeysTable
  facts: FactsTable
  capture_posts: CapturePostsTable
  carts: CartsTable
  cart_counts: CartCountsTable
  store_people: StorePeopleTable
  live_watches: LiveWatchesTable
  cart_events: CartEventsTable
  orders: OrdersTable
  templates: TemplatesTable
  flows: FlowsTable
  flow_steps: FlowStepsTable
  messages: MessagesTable
  store_send: StoreSendTable
  decisions: DecisionsTable
  link_tokens: LinkTokensTable
  touches: TouchesTable
  visits: VisitsTable
  consents: ConsentsTable
  consent_questions: ConsentQuestionsTable
  consent_relaxations: ConsentRelaxationsTable
  preference_wordings: PreferenceWordingsTable
  consent_imports: ConsentImportsTable
  consent_refusals: ConsentRefusalsTable
  notifications: NotificationsTable
  sending_budgets: SendingBudgetsTable
  sending_spend: SendingSpendTable
  delivery_reports: DeliveryReportsTable
  text_windows: TextWindowsTable
  send_jobs: SendJobsTable
  reminders: RemindersTable
  repeatable_requests: RepeatableRequestsTable
  channel_credentials: ChannelCredentialsTable
  inbound_texts: InboundTextsTable
  prices_due: PricesDueTable
  instance: InstanceTable
  workers: WorkersTable
  rate_limits: RateLimitsTable
  heartbeats: HeartbeatsTable
  heartbeat_hours: HeartbeatHoursTable
  alarms: AlarmsTable
  alarm_watch: AlarmWatchTable
}
