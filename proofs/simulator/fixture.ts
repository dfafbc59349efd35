import type pg from 'pg'
import type { Session } from '../../server/access/members/session.ts'
import { createId } from '../../server/core/common/ids.ts'
import { createToken } from '../../server/core/common/secrets.ts'
import { sealSecrets } from '../../server/delivery/texts/text-channels.ts'
import { CAMPAIGN_TEMPLATES } from '../../server/messages/templates/ready-templates.ts'
import type { StoreKeys } from '../../server/platforms/platform/access.ts'
import type { ConnectRequest } from '../../server/workspace/store-settings/connect.ts'
import { plans } from '../../shared/billing/billing.ts'
import { buildWooKeys } from '../../test/woo-access.ts'
import { secrets } from './actors.ts'
import { OWNER_ID } from './owner.ts'
import { PRODUCTS } from './shop.ts'
import { APP, buildVariantId } from './shop-shopify.ts'
import { hasTexts, type Scenario } from './steps.ts'
import { SMS, WHATSAPP } from './texts.ts'

// The account of a scenario, with a connected store and the ready-made flow switched on. It takes one statement (two
// with texts), because a run creates a hundred thousand. The rows equal those that connecting and switching on write.

export interface Fixture {
  accountId: string
  storeId: string
  flowId: string
  homeUrl: string
  captureKey: string
  /** Body of the call that connects it again. */
  form: ConnectRequest
  session: Session
}

const STEPS = ['first_reminder', 'second_reminder', 'last_reminder']
const WOO = { consumerKey: 'ck_0123456789abcdef', consumerSecret: 'cs_fedcba9876543210' }

/** URL and keys of the store. */
function buildShop({ shopify }: Scenario, storeId: string, homeUrl: string) {
  if (!shopify) {
    const typed = { consumer_key: WOO.consumerKey, consumer_secret: WOO.consumerSecret }
    const form: ConnectRequest = { platform: 'woocommerce', store_url: homeUrl, ...typed }
    return { url: homeUrl, form, keys: buildWooKeys(WOO), rights: null, variation: null }
  }
  const url = `https://shop-${storeId}.myshopify.com`
  const typed = { client_id: APP.clientId, client_secret: APP.clientSecret }
  const form: ConnectRequest = { platform: 'shopify', store_url: url, ...typed }
  return {
    url,
    form,
    keys: { kind: 'shopify_app', ...APP } satisfies StoreKeys,
    rights: RIGHTS,
    variation: buildVariantId,
  }
}

const RIGHTS = {
  scopes: ['read_orders', 'read_customers', 'read_products', 'write_discounts'],
  missingScopes: [],
  protectedData: 'full',
  hasAllOrders: false,
  planName: 'Grow',
  isPasswordProtected: false,
}

/** `inAccount`: an existing account. */
export async function createFixture(
  pool: pg.Pool,
  scenario: Scenario,
  now: Date,
  inAccount?: string,
): Promise<Fixture> {
  const [accountId, storeId] = [inAccount ?? createId(), createId()]
  const session = {
    sessionId: createId(),
    userId: OWNER_ID,
    accountId,
    storeId,
    role: 'owner' as const,
    isDemo: false,
    secondFactorAt: null,
    viewedUntil: null,
  }
  const homeUrl = `https://shop-${storeId}.example`
  const { url, form, keys, rights, variation } = buildShop(scenario, storeId, homeUrl)
  const fixture = { accountId, storeId, flowId: createId(), homeUrl, captureKey: createToken(), form, session }
  const encrypted = secrets.seal(JSON.stringify(keys), `store-keys:${fixture.accountId}:${fixture.storeId}`)
  const steps = STEPS.map((key, index) => {
    const { name, subject, body } = CAMPAIGN_TEMPLATES.find((template) => template.id === key)!
    const channel = scenario.channels[index]
    const content = {
      subject,
      body: (channel === 'email' ? body : TEXT) + (scenario.coupons?.[index] ? CODE_SNIPPET : ''),
    }
    return { step: index + 1, delay: scenario.delays[index], channel, id: createId(), key, name, ...content }
  })
  const timeout = Math.min(1_440, scenario.delays[0]!)
  await pool.query(SET_UP, [
    fixture.accountId,
    fixture.storeId,
    fixture.flowId,
    now,
    homeUrl,
    fixture.captureKey,
    timeout,
    scenario.cap,
    encrypted,
    JSON.stringify(steps),
    JSON.stringify(PRODUCTS.map((product) => ({ ...product, variation: variation?.(product.id) ?? '' }))),
    scenario.holdoutPercent * 100,
    scenario.plan,
    form.platform,
    url,
    rights && JSON.stringify(rights),
    scenario.beforeConsent,
  ])
  if (hasTexts(scenario) || scenario.room !== null) await pool.query(WITH_TEXTS, buildTexts(fixture, scenario, now))
  return fixture
}

/** The provider fake reads the code from this text. */
export const CODE_SNIPPET = '{% if coupon_code %} Code: {{ coupon_code }} {% endif %}'

/** Content of a step for any channel. */
export const TEXT = '{{ customer_name }}, your cart is still here: {{ checkout_link }}'

function buildTexts({ accountId, storeId }: Fixture, { plan, room, budgetMicros, cooldownHours }: Scenario, now: Date) {
  const { maxEmailsPerMonth: email, maxSmsPerMonth: sms, maxWhatsappPerMonth: whatsapp } = plans[plan].limits
  const used =
    room === null
      ? {}
      : Object.fromEntries(Object.entries({ email, sms, whatsapp }).map(([name, limit]) => [name, limit - room]))
  const hooks = [SMS, WHATSAPP].map(({ channel, provider, identity, plain }) => {
    const encrypted = sealSecrets(secrets, { accountId, channel }, plain)
    return { channel, provider, identity, hook: `${channel}-${accountId}`, encrypted: encrypted.toString('hex') }
  })
  return [accountId, storeId, now, JSON.stringify(hooks), JSON.stringify(used), budgetMicros, cooldownHours]
}

/** Rows that credentials, a budget and a month of sends would have written. */
const WITH_TEXTS = `
  with hooks as (
    insert into channel_credentials (account_id, channel, provider, hook_key, encrypted, identity, check_answer, checked_at, updated_at)
    select $1::uuid, channel, provider, hook, decode(encrypted, 'hex'), identity, '', $3::timestamptz, $3
    from jsonb_to_recordset($4::jsonb) as t(channel text, provider text, hook text, encrypted text, identity jsonb)),
  usage as (
    insert into plan_usage (account_id, month, channel, used)
    select $1, date_trunc('month', $3::timestamptz at time zone 'UTC')::date, key, value::int from jsonb_each_text($5::jsonb) where value::int >= 0),
  budget as (
    insert into sending_budgets (account_id, monthly_micros, currency, updated_at)
    select $1, $6::bigint, 'USD', $3 where $6 is not null)
  update stores set text_cooldown_hours = $7::int where id = $2::uuid`

const SET_UP = `
  with account as (insert into accounts (id, name, created_at) values ($1::uuid, 'Simulated', $4::timestamptz) on conflict do nothing),
  member as (insert into members (account_id, user_id, role, created_at) values ($1::uuid, '${OWNER_ID}', 'owner', $4::timestamptz)
    on conflict do nothing),
  plan as (insert into subscriptions (account_id, plan, status, updated_at) values ($1, $13::text, 'active', $4)
    on conflict do nothing),
  shop as (insert into stores (id, account_id, platform, url, home_url, name, currency, time_zone, version, base_country,
      selling_countries, has_checkout_link, connected_at, capture_key, sender_name, postal_address,
      effective_timeout_minutes, cap_messages, rights, before_consent)
    values ($2::uuid, $1, $14::text, $15::text, $5, 'Tea & Co', 'USD', 'America/New_York', '10.4.4', 'US', '{US,DE,GB,MX,AU}', true, $4, $6,
      'Tea & Co', '1 Main Street, Springfield, IL 62701, USA', $7::int, $8::int, $16::jsonb, $17::text)),
  keys as (insert into store_credentials (account_id, store_id, encrypted, updated_at) values ($1, $2, $9::bytea, $4)),
  send as (insert into send_schedule (store_id) values ($2)),
  streams as (insert into sync_state (store_id, stream)
    select $2, unnest('{order_check,import,sweep,customers,products,webhooks,checkouts}'::text[])),
  told as (select * from jsonb_to_recordset($10::jsonb)
    as t(step int, delay int, channel text, id uuid, key text, name text, subject text, body text)),
  words as (insert into templates (store_id, id, key, name, subject, body, updated_at)
    select $2, id, key, name, subject, body, $4 from told),
  flow as (insert into flows (store_id, id, name, is_on, switched_on_at, takes_from, salt, created_at, updated_at)
    values ($2, $3::uuid, 'Reminders', true, $4, $4, $2::text, $4, $4)),
  experiment as (insert into experiments (store_id, salt, control_bps, started_at, planned_end_at, window_days, currency, cap_orders)
    select $2, $2::text, $12::int, $4, $4::timestamptz + interval '10 years', 30, 'USD', 0 where $12::int > 0),
  steps as (insert into flow_steps (store_id, flow_id, step, delay_minutes, channel, template_id)
    select $2, $3, step, delay, channel, id from told)
  insert into products (store_id, product_id, variation_id, name, price_minor, currency, is_available, seen_at)
  select $2, id, variation, name, "priceMinor", 'USD', true, $4
  from jsonb_to_recordset($11::jsonb) as p(id text, variation text, name text, "priceMinor" int)`

/** Deleting the account deletes all its rows, so that the next scenario's jobs see none of them. */
export async function clearFixture(pool: pg.Pool): Promise<void> {
  await pool.query('delete from flow_steps')
  await pool.query('delete from accounts')
  // Deleted carts leave change records without a store, which would pile up for jobs that read all of them.
  await pool.query('delete from cart_counts')
  await pool.query('delete from customer_counts')
  // The same scenario may be played again with the same ids.
  await pool.query('delete from rollup_changes')
  await pool.query('delete from figure_changes')
  await pool.query('delete from simulator_sends')
  await pool.query('delete from simulator_choices')
  await pool.query('delete from workers')
  await pool.query('delete from instance')
  await pool.query('delete from rate_limits')
}
