import { type Db, sql } from '../../server/core/db/db.ts'
import { buildStateSql, toMillisSql } from './state.ts'
import type { Channel, Plan } from './steps.ts'

// Reads the database state of a message at the moment a provider receives it, in one statement. Times are in
// milliseconds.

export interface Evidence {
  store: string
  /** null: the message has no cart and names its shopper. */
  cart: string
  shopper: string
  origin: string
  step: number
  /** The step of a flow. */
  stepId: string | null
  /** The variant of its content; null: its step is not split. */
  variantId: string | null
  state: string
  worker: string
  dueAt: number
  createdAt: number
  sendingAt: number
  /**
   * The cart at `sendingAt`, or at the channel call if that is more than a moment later; null: the message has no cart.
   */
  cartStatus: string | null
  cartStartedAt: number | null
  lastActivityAt: number | null
  /** null: it is not of a flow. */
  delay: number | null
  cap: number
  /** Other sends to the same person in the cap's window before this one; after a backward clock jump also after it. */
  others: string[]
  /**
   * Messages on the channel that this process has sent and not settled, with their recipients; answered ones are not in
   * flight.
   */
  inFlight: { id: string; shopper: string; sendingAt: number; isAnswered: boolean }[]
  /** Carts merged into this one, also indirectly. */
  joined: string[]
  /** `kind:value` of the person, and of people who used one of its devices. */
  keys: string[]
  /** Keys of the person only. */
  emails: string[]
  valueMinor: number | null
  /** Products in the cart. */
  items: string[]
  /** Products with quantities, sorted: `2×16,1×17`. */
  contents: string
  country: string | null
  usState: string | null
  phone: string | null
  coupon: {
    /** The code that it was sent with. */
    code: string | null
    isPersonal: boolean
    /** The coupon's id in the store. */
    platformId: string | null
    /** The coupon that its step should have. */
    hasCoupon: boolean
    fallback: 'without' | 'skip' | null
    /** From the decision record. */
    record: { coupon?: string; couponIncluded?: boolean; couponReason?: string } | null
  }
  hasBoughtBefore: boolean
  arm: 'treated' | 'control' | null
  armAt: number | null
  overridesHoldout: boolean | null
  /** Consents of the address on this channel, in the order recorded. */
  ledger: {
    status: 'granted' | 'pending' | 'withdrawn'
    isConfirmed: boolean
    source: string
    at: number
    id: string
  }[]
  /** Suppressions in force for this channel. */
  overrides: { country: string; from: string; to: string }[]
  plan: Plan | null
  /** Messages of the plan used this month on this channel, with this one. */
  used: number
  /** Amount of the budget used this month, with this message, in the account's books. */
  spent: number
}

const ms = (column: string) => sql.raw(toMillisSql(column))
const STATE_NOW = sql.raw(buildStateSql('m'))

export async function readEvidence(
  db: Db,
  of: { id: string; channel: Channel; hash: Buffer; now: Date },
): Promise<Evidence | undefined> {
  // A purchase or merge between the send and the provider call came after the decision (D5).
  const isAtOnce = sql`${of.now}::timestamptz >= m.sending_at and ${of.now} < m.sending_at + interval '1 second'`
  const rows = await sql<Evidence>`
    with recursive joined as (
      select c.store_id, c.id from carts c join messages m on m.store_id = c.store_id and c.merged_into = m.cart_id
        where m.id = ${of.id}
      union select c.store_id, c.id from carts c join joined j on j.store_id = c.store_id and c.merged_into = j.id)
    select m.store_id as store, coalesce(m.cart_id::text, 'no cart of ' || case when ${isAtOnce} then d.shopper else m.shopper_id end) as cart, case when ${isAtOnce} then d.shopper else m.shopper_id end as shopper, m.origin_kind || ':' || m.origin_id as origin, m.step, m.step_id as "stepId", m.variant_id as "variantId", ${STATE_NOW} as state, m.worker_id as worker,
      ${ms('m.due_at')} as "dueAt", ${ms('m.created_at')} as "createdAt", ${ms('m.sending_at')} as "sendingAt",
      case when ${isAtOnce} then d.cart_status else c.status end as "cartStatus", ${ms('c.started_at')} as "cartStartedAt", ${ms('c.last_activity_at')} as "lastActivityAt",
      fs.delay_minutes as delay, s.cap_messages as cap,
      case when ${isAtOnce} then to_jsonb(d.others) else (select coalesce(jsonb_agg(o.id), '[]') from messages o where o.store_id = m.store_id and o.shopper_id = m.shopper_id
        and o.id <> m.id and o.sending_at > m.sending_at - s.cap_window_hours * interval '1 hour') end as others,
      (select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'sendingAt', ${ms('o.sending_at')}, 'isAnswered', o.answer is not null,
          'shopper', case when ${isAtOnce} then p.shopper else o.shopper_id end)), '[]')
        from messages o join simulator_sends p on p.message_id = o.id
        where o.store_id = m.store_id and o.worker_id = m.worker_id and o.channel = m.channel and o.state = 'sending') as "inFlight",
      case when ${isAtOnce} then to_jsonb(d.joined) else (select coalesce(jsonb_agg(id), '[]') from joined) end as joined,
      (select coalesce(jsonb_agg(distinct k.kind || ':' || k.value), '[]') from shopper_keys k where k.store_id = m.store_id
        and k.shopper_id in (select m.shopper_id union
          select theirs.shopper_id from shopper_keys mine join shopper_keys theirs on theirs.store_id = mine.store_id
            and theirs.kind = 'device' and theirs.value = mine.value
          where mine.store_id = m.store_id and mine.shopper_id = m.shopper_id and mine.kind = 'device')) as keys,
      (select coalesce(jsonb_agg(k.value), '[]') from shopper_keys k where k.store_id = m.store_id and k.shopper_id = m.shopper_id
        and k.kind = 'email') as emails,
      (select coalesce(jsonb_agg(i ->> 'productId'), '[]') from jsonb_array_elements(c.items) i) as items, c.value_minor as "valueMinor",
      (select coalesce(string_agg(line, ',' order by line collate "C"), '') from jsonb_array_elements(c.items) i
        cross join lateral (select (i ->> 'quantity') || '×' || (i ->> 'productId') as line) l) as contents,
      h.country, c.fold -> 'contact' ->> 'state' as "usState", coalesce(c.phone, h.phone) as phone, r.overrides_holdout as "overridesHoldout",
      drawn.arm, ${ms('drawn.at')} as "armAt",
      json_build_object('code', m.coupon_code, 'isPersonal', cp.kind = 'personal', 'hasCoupon', coalesce(fs.coupon_id, g.coupon_id) is not null,
        'fallback', coalesce(fs.coupon_fallback, g.coupon_fallback),
        'platformId', coalesce((select k.platform_id from coupon_codes k where k.store_id = m.store_id and k.message_id = m.id
          and k.coupon_id = m.coupon_id), cp.platform_id),
        'record', coalesce(m.judged -> 'inputs', (select d.inputs from decisions d where d.store_id = m.store_id and d.message_id = m.id
          and d.outcome = 'send' and d.at = m.sending_at limit 1))) as coupon,
      exists (select 1 from orders o where o.store_id = m.store_id and o.shopper_id = m.shopper_id
        and o.purchased_at < coalesce(c.started_at, m.sending_at))
        or exists (select 1 from shopper_keys k join customers r on r.store_id = k.store_id and r.customer_id = k.value
          where k.store_id = m.store_id and k.shopper_id = m.shopper_id and k.kind = 'customer' and r.spent_minor > 0) as "hasBoughtBefore",
      (select coalesce(jsonb_agg(jsonb_build_object('status', n.status, 'isConfirmed', n.is_confirmed, 'source', n.source,
          'at', ${ms('n.at')}, 'id', n.id) order by n.at, n.id), '[]') from consents n
        where n.store_id = m.store_id and n.address_hash = ${of.hash} and n.channel = m.channel) as ledger,
      (select coalesce(jsonb_agg(jsonb_build_object('country', x.country, 'from', x.from_rule, 'to', x.to_rule)), '[]')
        from consent_overrides x where x.store_id = m.store_id and x.channel = m.channel and x.ended_at is null) as overrides,
      (select p.plan from subscriptions p where p.account_id = s.account_id) as plan,
      coalesce((select u.used from plan_usage u where u.account_id = s.account_id and u.channel = m.channel
        and u.month = date_trunc('month', m.sending_at at time zone 'UTC')::date), 0) as used,
      coalesce((select b.micros from sending_spend b where b.account_id = s.account_id and b.currency = 'USD'
        and b.month = date_trunc('month', m.sending_at at time zone 'UTC')::date), 0) as spent
    from messages m
    join simulator_sends d on d.message_id = m.id
    left join carts c on c.store_id = m.store_id and c.id = m.cart_id
    join stores s on s.id = m.store_id
    join shoppers h on h.store_id = m.store_id and h.id = m.shopper_id
    left join lateral (select a.arm, a.at from assignments a where a.store_id = h.store_id and a.shopper_id = h.id
      order by a.at, a.id limit 1) drawn on true
    left join flow_steps fs on fs.store_id = m.store_id and m.origin_kind in ('flow', 'push') and fs.flow_id = m.origin_id and fs.id = m.step_id
    left join campaigns g on g.store_id = m.store_id and m.origin_kind = 'campaign' and g.id = m.origin_id
    left join coupons cp on cp.store_id = m.store_id and cp.id = m.coupon_id
    left join manual_messages r on r.store_id = m.store_id and r.message_id = m.id
    where m.id = ${of.id}`.execute(db)
  return rows.rows[0]
}
