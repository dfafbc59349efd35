import type pg from 'pg'
import { FLOW_ASSIGNMENT_SQL, type FlowAssignment } from './flow-assignments.ts'
import type { Channel } from './steps.ts'

// The database state of the scenario's store after a step, read in one statement. Times are in milliseconds.
// evidence.ts has the state at a message's send.

export interface Cart {
  id: string
  shopper: string
  status: string
  startedAt: number
  lastActivityAt: number
  endedAt: number | null
  /** Id of the fact that started it. */
  openedBy: string
  pendingUntil: number | null
  abandonedAt: number | null
  recoveredAt: number | null
  currency: string
  email: string | null
  phone: string | null
  items: { productId: string; variationId: string | null; quantity: number }[]
  coupons: string[]
  mergedInto: string | null
  /** Id of the flow it belongs to. */
  flow: string | null
  /** Its purchase was cancelled or fully refunded. */
  isVoid: boolean
  /** Id of the order that ended it. */
  order: string | null
  /** Minor units. */
  value: number
}

export interface Message {
  id: string
  /** null: the message has no cart and names its shopper. */
  cart: string
  shopper: string
  origin: string
  step: number
  stepId: string | null
  channel: Channel
  /** Another channel may be used when this one is blocked. */
  hasFallback: boolean
  state: string
  /** The effective state: a stored reply may not be settled yet. */
  isSending: boolean
  reason: string | null
  worker: string | null
  createdAt: number
  dueAt: number
  /** Time of its next check, while it is open. */
  wakeAt: number
  expiresAt: number
  sendingAt: number | null
  to: string | null
  micros: number | null
  /** It waits for a browser, and there is one. */
  hasBrowser: boolean
}

export interface Shopper {
  id: string
  arm: 'treated' | 'control' | null
  armAt: number | null
  /** Id of the assignment. */
  drawing: string | null
}

export interface StoredFact {
  id: string
  /** `capture:cart:page:seq` and similar. */
  key: string
  shopper: string
  at: number
  payload: unknown
}

export interface Order {
  id: string
  shopper: string
  purchasedAt: number | null
  currency: string
  total: number
  net: number
  isStaff: boolean
  kind: string
  parent: string | null
  isRenewal: boolean
  /** The order's own number, if it counts differently (A6). */
  ownNet: number | null
  cart: string | null
  touch: string | null
  message: string | null
}

export interface Touch {
  id: string
  shopper: string
  message: string
  isHuman: boolean
  at: number
}

/** A personal code of a message. */
export interface Code {
  message: string
  coupon: string
  code: string
  state: string
  attempts: number
  askedAt: number | null
  expiresAt: number
  isUsed: boolean
  order: string | null
}

/** A browser's subscription with its push service. */
export interface Subscription {
  id: string
  shopper: string
}

export interface Campaign {
  id: string
  status: string
  isDeleted: boolean
  /** The newest campaign run. */
  run: number
  /** null: none, or a member. */
  pausedBy: string | null
}

export interface Run {
  campaign: string
  run: number
  at: number
  startedAt: number
}

/** Counts of one quarter of an hour in one currency; without a time: revenue of all time. */
export interface Rollup {
  at: number | null
  currency: string
  abandoned: number
  abandonedRecovered: number
  recovered: number
  attributed: number
  attributedOrders: number
}

export interface State {
  /** Rows written so far, see WITNESS_SQL. */
  writes: number
  isActive: boolean
  /** Time at which the sender next looks at the store; null: none is set. */
  nextDueAt: number | null
  carts: Cart[]
  choices: FlowAssignment[]
  messages: Message[]
  shoppers: Shopper[]
  facts: StoredFact[]
  orders: Order[]
  touchpoints: Touch[]
  codes: Code[]
  subscriptions: Subscription[]
  /** The owner has a notice that push services reject our signature. */
  isPushAlarmed: boolean
  campaigns: Campaign[]
  runs: Run[]
  /** Folded rows and pending changes. */
  rollups: Rollup[]
  /** Plan usage and spend on texts of the account, by month (`2026-03-01`). */
  usage: { month: string; channel: Channel; used: number }[]
  spend: { month: string; micros: number }[]
  /** Opt-in requests; without wording: not sent yet. */
  questions: { hash: string; state: string; wording: string | null; askedAt: number | null }[]
}

/** SQL for a message's effective state: its stored reply decides once there is one. */
export const buildStateSql = (row: string) => `coalesce(${row}.answer ->> 'state', ${row}.state)`

/** Carts merged into the cart of `new`, also indirectly. */
const JOINED = `array(with recursive j as (select id from carts where store_id = new.store_id and merged_into = new.cart_id
  union select c.id from carts c join j on c.merged_into = j.id where c.store_id = new.store_id) select id from j)`

/**
 * Counts all rows written to tables that `readState` reads, rolled back ones included. Also stores recipient and cart
 * of a message when it becomes `sending`: a merge or a purchase may follow before the channel is called.
 */
export const WITNESS_SQL = `
  create sequence simulator_writes;
  create function simulator_wrote() returns trigger language plpgsql as
    'begin perform nextval(''simulator_writes''); return null; end';
  ${[
    'carts',
    'messages',
    'facts',
    'orders',
    'touchpoints',
    'opt_in_requests',
    'coupon_codes',
    'campaigns',
    'campaign_runs',
    'push_subscriptions',
  ]
    .map((table) => buildTriggerSql(table, 'insert or update or delete'))
    .join('')}
  ${buildTriggerSql('shoppers', 'insert or delete')}
  ${buildTriggerSql('assignments', 'insert or update or delete')}
  ${buildTriggerSql('stores', 'insert or delete or update of is_active')}
  ${buildTriggerSql('send_schedule', 'update of next_due_at')}
  create table simulator_sends (message_id uuid primary key, shopper uuid not null, others uuid[] not null, joined uuid[] not null, cart_status text);
  create function simulator_sent() returns trigger language plpgsql as 'begin
    insert into simulator_sends select new.id, new.shopper_id, coalesce(array_agg(o.id), ''{}''), ${JOINED},
        (select status from carts where store_id = new.store_id and id = new.cart_id)
      from stores s left join messages o on o.store_id = s.id and o.shopper_id = new.shopper_id and o.id <> new.id
        and o.sending_at > new.sending_at - s.cap_window_hours * interval ''1 hour''
      where s.id = new.store_id
    on conflict (message_id) do update set shopper = excluded.shopper, others = excluded.others, joined = excluded.joined,
      cart_status = excluded.cart_status;
    return null; end';
  create trigger simulator_sent after update of state on messages for each row
    when (new.state = 'sending' and old.state <> 'sending') execute function simulator_sent();
  ${FLOW_ASSIGNMENT_SQL}`

function buildTriggerSql(table: string, event: string): string {
  return `create trigger simulator_witness after ${event} on ${table} for each row execute function simulator_wrote();`
}

/** Returns `before` itself if no row was written since. */
export async function readState(pool: pg.Pool, storeId: string, before: State | null): Promise<State> {
  const { rows } = await pool.query<State>(STATE, [storeId, before?.writes ?? -1])
  return rows[0] ?? before!
}

export const toMillisSql = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`

const list = (from: string, fields: Record<string, string>) => {
  const table = from.split(' ').at(-1)
  const pairs = Object.entries(fields).map(([name, value]) => `'${name}', ${value}`)
  return `(select coalesce(json_agg(json_build_object(${pairs})), '[]') from ${from} where store_id = $1) as ${table}`
}

const buildAccountSql = (table: string, name: string, pairs: string) =>
  `(select coalesce(json_agg(json_build_object(${pairs})), '[]') from ${table}
    where account_id = (select account_id from stores where id = $1)) as ${name}`

const ROLLUP =
  'store_id, slot, currency, abandoned, abandoned_recovered, recovered, attributed_minor, attributed_orders'
const ROLLUPS = `(select ${ROLLUP} from rollups union all select ${ROLLUP} from rollup_changes) rollups`

/**
 * A notification that waits for a browser although one has reported its cart: by the cart's token, which names one
 * person, or by the device's, if it belongs to the same person.
 */
const HAS_BROWSER = `state = 'held' and channel = 'push' and exists (select 1 from carts c
  join push_subscriptions p on p.store_id = c.store_id
  where c.store_id = messages.store_id and c.id = messages.cart_id and (cardinality(p.marks) = 2 and c.fold -> 'episode' -> 'toldBy' ? p.marks[1]
    or p.shopper_id = c.shopper_id and c.fold -> 'episode' -> 'toldBy' ?| p.marks))`

/** Of merged people, the arm of the one assigned first. */
const DRAWN = (column: string) => `(select a.${column} from assignments a where a.store_id = shoppers.store_id
  and a.shopper_id = shoppers.id order by a.at, a.id limit 1)`

const CART_OR_PERSON = "coalesce(cart_id::text, 'no cart of ' || shopper_id)"

const STATE = `
  select last_value + is_called::int as writes, (select is_active from stores where id = $1) as "isActive",
    (select ${toMillisSql('next_due_at')} from send_schedule where store_id = $1) as "nextDueAt",
    ${list('carts', {
      id: 'id',
      shopper: 'shopper_id',
      status: 'status',
      startedAt: toMillisSql('started_at'),
      lastActivityAt: toMillisSql('last_activity_at'),
      endedAt: toMillisSql('ended_at'),
      openedBy: "fold #>> '{episode,openingFactId}'",
      pendingUntil: toMillisSql('pending_until'),
      abandonedAt: toMillisSql('abandoned_at'),
      recoveredAt: toMillisSql('recovered_at'),
      currency: 'currency',
      email: 'email',
      phone: 'phone',
      items: 'items',
      coupons: 'coupons',
      mergedInto: 'merged_into',
      flow: 'flow_id',
      isVoid: 'is_void',
      order: "fold #>> '{episode,orderId}'",
      value: 'value_minor',
    })},
    ${list('simulator_choices choices', {
      place: 'place',
      cart: 'cart_id',
      transaction: 'transaction::text',
      isQuiet: 'is_quiet',
      flowBefore: 'flow_before',
      flow: 'flow_id',
      lastActivityAt: toMillisSql('last_activity_at'),
      value: 'value_minor',
      items: 'items',
      hasPhone: 'has_phone',
    })},
    ${list('messages', {
      id: 'id',
      cart: CART_OR_PERSON,
      shopper: 'shopper_id',
      origin: "origin_kind || ':' || origin_id",
      step: 'step',
      stepId: 'step_id',
      channel: 'channel',
      hasFallback: 'channels is not null',
      state: buildStateSql('messages'),
      isSending: "state = 'sending'",
      reason: 'reason',
      worker: 'worker_id',
      createdAt: toMillisSql('created_at'),
      dueAt: toMillisSql('due_at'),
      wakeAt: toMillisSql('wake_at'),
      expiresAt: toMillisSql('expires_at'),
      sendingAt: toMillisSql('messages.sending_at'),
      to: 'to_address',
      micros: 'cost_micros',
      hasBrowser: HAS_BROWSER,
    })},
    ${list('shoppers', { id: 'id', arm: DRAWN('arm'), armAt: toMillisSql(DRAWN('at')), drawing: DRAWN('id') })},
    ${list('facts', { id: 'id', key: 'unique_key', shopper: 'shopper_id', at: toMillisSql('at'), payload: 'payload' })},
    ${list('orders', {
      id: 'order_id',
      shopper: 'shopper_id',
      purchasedAt: toMillisSql('purchased_at'),
      currency: 'currency',
      total: 'total_minor',
      net: 'net_minor',
      isStaff: 'is_staff',
      kind: 'kind',
      parent: 'parent_id',
      isRenewal: 'is_renewal',
      ownNet: 'own_net_minor',
      cart: 'cart_id',
      touch: 'touchpoint_id',
      message: 'message_id',
    })},
    ${list('touchpoints', {
      id: 'id',
      shopper: 'shopper_id',
      message: 'message_id',
      isHuman: 'is_human',
      at: toMillisSql('at'),
    })},
    ${list('coupon_codes codes', {
      message: 'message_id',
      coupon: 'coupon_id',
      code: 'code',
      state: 'state',
      attempts: 'attempts',
      askedAt: toMillisSql('asked_at'),
      expiresAt: toMillisSql('expires_at'),
      isUsed: 'used_at is not null',
      order: 'used_order_id',
    })},
    ${list('push_subscriptions subscriptions', { id: 'id', shopper: 'shopper_id' })},
    exists (select 1 from pending_notifications where store_id = $1 and type = 'push_refused') as "isPushAlarmed",
    ${list('campaigns', { id: 'id', status: 'status', isDeleted: 'deleted_at is not null', run: 'run', pausedBy: 'paused_by' })},
    ${list('campaign_runs runs', { campaign: 'campaign_id', run: 'run', at: toMillisSql('at'), startedAt: toMillisSql('started_at') })},
    ${list(ROLLUPS, {
      at: `case when slot > '-infinity' then ${toMillisSql('slot')} end`,
      currency: 'currency',
      abandoned: 'abandoned',
      abandonedRecovered: 'abandoned_recovered',
      recovered: 'recovered',
      attributed: 'attributed_minor',
      attributedOrders: 'attributed_orders',
    })},
    ${list('opt_in_requests questions', {
      hash: "encode(address_hash, 'hex')",
      state: 'state',
      wording: 'wording',
      askedAt: toMillisSql('asked_at'),
    })},
    ${buildAccountSql('plan_usage', 'usage', "'month', month, 'channel', channel, 'used', used")},
    ${buildAccountSql('sending_spend', 'spend', "'month', month, 'micros', micros")}
  from simulator_writes where last_value + is_called::int <> $2`
