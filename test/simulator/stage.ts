import type pg from 'pg'
import { newId } from '../../server/ids.ts'
import { randomToken } from '../../server/secrets.ts'
import type { StoreKeys } from '../../server/stores/access.ts'
import { CAMPAIGN_TEMPLATES } from '../../server/templates/ready-templates.ts'
import { secrets } from './actors.ts'
import { PRODUCTS } from './shop.ts'
import type { History } from './steps.ts'

// Where a history is played: an account with a connected store and the ready flow, switched on. One statement, because
// this is done for each of a hundred thousand; it writes what connecting and switching on write.

export interface Stage {
  accountId: string
  storeId: string
  flowId: string
  homeUrl: string
  keys: StoreKeys
}

const STEPS = ['first_reminder', 'second_reminder', 'last_reminder']
const KEYS: StoreKeys = { consumerKey: 'ck_0123456789abcdef', consumerSecret: 'cs_fedcba9876543210' }

export async function setStage(pool: pg.Pool, history: History, now: Date): Promise<Stage> {
  const stage = { accountId: newId(), storeId: newId(), flowId: newId(), keys: KEYS }
  const homeUrl = `https://shop-${stage.storeId}.example`
  const sealed = secrets.seal(JSON.stringify(KEYS), `store-keys:${stage.accountId}:${stage.storeId}`)
  const steps = STEPS.map((key, index) => {
    const { name, subject, body } = CAMPAIGN_TEMPLATES.find((template) => template.id === key)!
    return { step: index + 1, delay: history.delays[index], id: newId(), key, name, subject, body }
  })
  const timeout = Math.min(1_440, history.delays[0]!)
  await pool.query(SET_UP, [
    stage.accountId,
    stage.storeId,
    stage.flowId,
    now,
    homeUrl,
    randomToken(),
    timeout,
    history.cap,
    sealed,
    JSON.stringify(steps),
    JSON.stringify(PRODUCTS),
    history.holdoutPercent * 100,
  ])
  return { ...stage, homeUrl }
}

const SET_UP = `
  with account as (insert into accounts (id, name, created_at) values ($1::uuid, 'Simulated', $4::timestamptz)),
  plan as (insert into subscriptions (account_id, plan, status, updated_at) values ($1, 'growth', 'active', $4)),
  shop as (insert into stores (id, account_id, platform, url, home_url, name, currency, time_zone, version, base_country,
      selling_countries, has_checkout_link, connected_at, capture_key, sender_name, postal_address,
      effective_timeout_minutes, cap_messages)
    values ($2::uuid, $1, 'woocommerce', $5, $5, 'Tea & Co', 'USD', 'America/New_York', '10.4.4', 'US', '{US}', true, $4, $6,
      'Tea & Co', '1 Main Street, Springfield, IL 62701, USA', $7::int, $8::int)),
  keys as (insert into store_credentials (account_id, store_id, sealed, updated_at) values ($1, $2, $9::bytea, $4)),
  send as (insert into store_send (store_id) values ($2)),
  streams as (insert into sync_state (store_id, stream)
    select $2, unnest('{fence,import,sweep,customers,products,webhooks}'::text[])),
  told as (select * from jsonb_to_recordset($10::jsonb)
    as t(step int, delay int, id uuid, key text, name text, subject text, body text)),
  words as (insert into templates (store_id, id, key, name, subject, body, updated_at)
    select $2, id, key, name, subject, body, $4 from told),
  flow as (insert into flows (store_id, id, name, is_on, switched_on_at, takes_from, holdout_bps, salt, created_at, updated_at)
    values ($2, $3::uuid, 'Reminders', true, $4, $4, $12::int, $2::text, $4, $4)),
  steps as (insert into flow_steps (store_id, flow_id, step, delay_minutes, channel, template_id)
    select $2, $3, step, delay, 'email', id from told)
  insert into products (store_id, product_id, name, price_minor, currency, is_available, seen_at)
  select $2, id, name, "priceMinor", 'USD', true, $4
  from jsonb_to_recordset($11::jsonb) as p(id text, name text, "priceMinor" int)`

/** Everything of the account goes with its row; so no tick of the next history sees anything of this one. */
export async function clearStage(pool: pg.Pool): Promise<void> {
  await pool.query('delete from flow_steps')
  await pool.query('delete from accounts')
  await pool.query('delete from workers')
  await pool.query('delete from instance')
  await pool.query('delete from rate_limits')
}
