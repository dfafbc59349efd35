import { type InForce, selectPlanInForce } from '../../billing/billing/public.ts'
import { selectCreditMicros } from '../../billing/credits/public.ts'
import { brandOfStore, type StoredBrand } from '../../carts/brand/public.ts'
import { selectExperiment } from '../../carts/experiments/public.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'
import type { ChannelName } from '../../messages/channels/public.ts'
import { selectFirstMailsSince } from '../../messages/messages/public.ts'
import { type ConsentOverride, selectOverrides } from '../../shoppers/consent/public.ts'

// SQL for the inputs that are the same for every message of a store.

const DAY_MS = 86_400_000
/** Longer than the limits for new accounts last. */
const YOUNG_MS = 31 * DAY_MS

export interface Situation {
  store_id: string
  is_paused: boolean
  account_id: string
  is_active: boolean
  /** A member paused sending for this store (decision 136). */
  is_sending_paused: boolean
  /** The plan includes fewer stores (decision 85). */
  is_resting: boolean
  /** An operator suspended the account (decision 90). */
  is_account_suspended: boolean
  is_demo: boolean
  account_is_demo: boolean
  name: string
  url: string
  home_url: string
  base_country: string | null
  selling_countries: string[] | null
  sender_name: string
  sender_email: string | null
  postal_address: string
  cap_messages: number
  cap_window_hours: number
  time_zone: string
  /** The shop's language; null: unknown. */
  locale: string | null
  quiet_from_minute: number
  quiet_until_minute: number
  text_cooldown_hours: number
  /** The store's price and tax settings; null: not reported. */
  prices_include_tax: boolean | null
  shows_tax: boolean | null
  price_decimals: number | null
  is_discount_sequential: boolean | null
  /** The account's plan in force; null before one was chosen. */
  in_force: InForce | null
  /** Messages sent in the month, by channel. */
  used: Partial<Record<ChannelName, number>>
  /** The store's control group; null: there is none (F1). */
  experiment: { id: string; salt: string; controlBps: number; isDrawing: boolean } | null
  budget: Budget | null
  account_created_at: Date
  /** First mails within 24 hours; null: the account is older than a month or uses its own mail server. */
  first_mails: number | null
  /** The account's credits in millionths of a dollar. */
  credit_micros: number
  /** The newest complete order check, and failures since then (D3). */
  check_started: Date | null
  check_failed: Date | null
  check_failures: number
  check_problem: string | null
  check_detail: string | null
  /** Whether Recoup reaches the shop of the store's plugin; null: no plugin, or not tried yet. */
  plugin_is_reached: boolean | null
  /** The account has its own mail server. After failures it is paused until `mail_rests_until`. */
  has_own_mail: boolean
  mail_rests_until: Date | null
  /** The shop's own host for links in mails, if its DNS check passed. */
  link_host: string | null
  /** Design settings for `toBrandKit`; null: none saved. */
  brand: StoredBrand | null
  /** The store's consent overrides in force (C6). */
  overrides: ConsentOverride[]
}

/** The month's budget for SMS and WhatsApp. */
export interface Budget {
  monthlyMicros: number
  currency: string
  spentMicros: number
}

export async function loadSituation(
  { db, storeId }: StoreDb,
  month: string,
  now: Date,
): Promise<Situation | undefined> {
  const rows = await sql<Situation>`
    select coalesce((select is_paused from instance), false) as is_paused, s.account_id, s.is_active,
      s.sending_paused_at is not null as is_sending_paused, a.suspended_at is not null as is_account_suspended,
      s.rests_since is not null as is_resting, s.is_demo,
      a.is_demo as account_is_demo, s.id as store_id, s.name, s.url, s.home_url, s.base_country, s.selling_countries, s.sender_name,
      s.sender_email, s.postal_address, s.cap_messages, s.cap_window_hours, s.time_zone, s.locale, s.quiet_from_minute,
      s.quiet_until_minute, s.text_cooldown_hours, s.prices_include_tax, s.shows_tax, s.price_decimals, s.is_discount_sequential,
      ${selectPlanInForce(sql`s.account_id`, now)} as in_force,
      coalesce((select jsonb_object_agg(u.channel, u.used) from plan_usage u
        where u.account_id = s.account_id and u.month = ${month}::date), '{}') as used,
      ${selectCreditMicros(sql`s.account_id`)} as credit_micros,
      ${selectExperiment(sql`s.id`, now)} as experiment,
      (select jsonb_build_object('monthlyMicros', g.monthly_micros, 'currency', g.currency, 'spentMicros', coalesce(p.micros, 0))
        from sending_budgets g left join sending_spend p on p.account_id = g.account_id and p.month = ${month}::date
          and p.currency = g.currency
        where g.account_id = s.account_id) as budget,
      a.created_at as account_created_at,
      case when a.created_at > ${new Date(now.getTime() - YOUNG_MS)} and not a.is_demo and m.account_id is null
        then (${selectFirstMailsSince(sql`s.account_id`, new Date(now.getTime() - DAY_MS))}) end as first_mails,
      f.completed_start as check_started, f.failed_at as check_failed, coalesce(f.failures, 0) as check_failures,
      f.error_code as check_problem, f.error_detail as check_detail,
      p.is_reached as plugin_is_reached,
      m.account_id is not null as has_own_mail, m.rests_until as mail_rests_until,
      (select h.host from link_hosts h where h.store_id = s.id and h.passed_at is not null) as link_host,
      ${brandOfStore(sql`s.id`)} as brand,
      ${selectOverrides(sql`s.id`)} as overrides
    from stores s join accounts a on a.id = s.account_id
    left join mail_servers m on m.account_id = s.account_id
    left join sync_state f on f.store_id = s.id and f.stream = 'order_check'
    left join plugin_connections p on p.store_id = s.id and p.ended_at is null
    where s.id = ${storeId}`.execute(db)
  return rows.rows[0]
}
