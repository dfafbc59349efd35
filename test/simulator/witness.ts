import type pg from 'pg'
import { type Db, sql } from '../../server/db.ts'

// What the database says: all of the history's store after a step, and what a mail rested on the moment it left. One
// statement each. Times come as milliseconds.

export interface Cart {
  id: string
  shopper: string
  status: string
  startedAt: number
  lastActivityAt: number
  endedAt: number | null
  pendingUntil: number | null
  abandonedAt: number | null
  recoveredAt: number | null
  currency: string
  email: string | null
  phone: string | null
  items: { productId: string; variationId: string | null; quantity: number }[]
  coupons: string[]
  mergedInto: string | null
}

export interface Message {
  id: string
  cart: string
  shopper: string
  origin: string
  step: number
  state: string
  reason: string | null
  worker: string | null
  dueAt: number
  expiresAt: number
  handedOverAt: number | null
  to: string | null
}

export interface StoredFact {
  id: string
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

/** What one quarter of an hour in one currency was counted to; no time: revenue of all time. */
export interface Rollup {
  at: number | null
  currency: string
  abandoned: number
  abandonedRecovered: number
  recovered: number
  attributed: number
}

export interface State {
  /** Rows written so far, see WITNESS. */
  writes: number
  isActive: boolean
  carts: Cart[]
  messages: Message[]
  facts: StoredFact[]
  orders: Order[]
  touches: Touch[]
  /** Folded ones and changes as they lie. */
  rollups: Rollup[]
}

/** Counts every row written to what `readState` reads; a rolled back one as well. */
export const WITNESS = `
  create sequence simulator_writes;
  create function simulator_wrote() returns trigger language plpgsql as
    'begin perform nextval(''simulator_writes''); return null; end';
  ${['carts', 'messages', 'facts', 'orders', 'touches']
    .map((table) => written(table, 'insert or update or delete'))
    .join('')}
  ${written('stores', 'insert or delete or update of is_active')}`

function written(table: string, event: string): string {
  return `create trigger simulator_witness after ${event} on ${table} for each row execute function simulator_wrote();`
}

/** `before` itself when no row was written since it was read. */
export async function readState(pool: pg.Pool, storeId: string, before: State | null): Promise<State> {
  const { rows } = await pool.query<State>(STATE, [storeId, before?.writes ?? -1])
  return rows[0] ?? before!
}

const asMs = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`

const list = (from: string, fields: Record<string, string>) => {
  const table = from.split(' ').at(-1)
  const pairs = Object.entries(fields).map(([name, value]) => `'${name}', ${value}`)
  return `(select coalesce(json_agg(json_build_object(${pairs})), '[]') from ${from} where store_id = $1) as ${table}`
}

const ROLLUPS = `(select store_id, slot, currency, abandoned, abandoned_recovered, recovered, attributed_minor from rollups
  union all select store_id, slot, currency, abandoned, abandoned_recovered, recovered, attributed_minor from rollup_changes) rollups`

const STATE = `
  select last_value + is_called::int as writes, (select is_active from stores where id = $1) as "isActive",
    ${list('carts', {
      id: 'id',
      shopper: 'shopper_id',
      status: 'status',
      startedAt: asMs('started_at'),
      lastActivityAt: asMs('last_activity_at'),
      endedAt: asMs('ended_at'),
      pendingUntil: asMs('pending_until'),
      abandonedAt: asMs('abandoned_at'),
      recoveredAt: asMs('recovered_at'),
      currency: 'currency',
      email: 'email',
      phone: 'phone',
      items: 'items',
      coupons: 'coupons',
      mergedInto: 'merged_into',
    })},
    ${list('messages', {
      id: 'id',
      cart: 'cart_id',
      shopper: 'shopper_id',
      origin: 'origin',
      step: 'step',
      state: 'state',
      reason: 'reason',
      worker: 'worker_id',
      dueAt: asMs('due_at'),
      expiresAt: asMs('expires_at'),
      handedOverAt: asMs('handed_over_at'),
      to: 'to_address',
    })},
    ${list('facts', { id: 'id', shopper: 'shopper_id', at: asMs('at'), payload: 'payload' })},
    ${list('orders', {
      id: 'order_id',
      shopper: 'shopper_id',
      purchasedAt: asMs('purchased_at'),
      currency: 'currency',
      total: 'total_minor',
      net: 'net_minor',
      isStaff: 'is_staff',
      touch: 'touch_id',
      message: 'message_id',
    })},
    ${list('touches', {
      id: 'id',
      shopper: 'shopper_id',
      message: 'message_id',
      isHuman: 'is_human',
      at: asMs('at'),
    })},
    ${list(ROLLUPS, {
      at: `case when slot > '-infinity' then ${asMs('slot')} end`,
      currency: 'currency',
      abandoned: 'abandoned',
      abandonedRecovered: 'abandoned_recovered',
      recovered: 'recovered',
      attributed: 'attributed_minor',
    })}
  from simulator_writes where last_value + is_called::int <> $2`

/** A mail at the moment the provider is handed it. */
export interface Evidence {
  cart: string
  shopper: string
  origin: string
  step: number
  state: string
  worker: string
  dueAt: number
  handedOverAt: number
  cartStatus: string
  cartStartedAt: number
  delay: number
  cap: number
  /** Other messages of the same person that left within the cap's window before (or, by a clock put back, after) this. */
  others: string[]
  /** What this process has on the wire, with the person each goes to. */
  inFlight: { id: string; shopper: string }[]
  /** Carts that were joined to this one, over however many steps. */
  joined: string[]
  /** `kind:value` of the person, and of everybody who used one of its devices. */
  keys: string[]
}

const ms = (column: string) => sql.raw(asMs(column))

export async function readEvidence(db: Db, messageId: string): Promise<Evidence | undefined> {
  const rows = await sql<Evidence>`
    with recursive joined as (
      select c.store_id, c.id from carts c join messages m on m.store_id = c.store_id and c.merged_into = m.cart_id
        where m.id = ${messageId}
      union select c.store_id, c.id from carts c join joined j on j.store_id = c.store_id and c.merged_into = j.id)
    select m.cart_id as cart, m.shopper_id as shopper, m.origin, m.step, m.state, m.worker_id as worker,
      ${ms('m.due_at')} as "dueAt", ${ms('m.handed_over_at')} as "handedOverAt", c.status as "cartStatus",
      ${ms('c.started_at')} as "cartStartedAt", fs.delay_minutes as delay, s.cap_messages as cap,
      (select coalesce(jsonb_agg(o.id), '[]') from messages o where o.store_id = m.store_id and o.shopper_id = m.shopper_id
        and o.id <> m.id and o.handed_over_at > m.handed_over_at - s.cap_window_hours * interval '1 hour') as others,
      (select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'shopper', o.shopper_id)), '[]') from messages o
        where o.store_id = m.store_id and o.worker_id = m.worker_id and o.state = 'handed_over') as "inFlight",
      (select coalesce(jsonb_agg(id), '[]') from joined) as joined,
      (select coalesce(jsonb_agg(distinct k.kind || ':' || k.value), '[]') from shopper_keys k where k.store_id = m.store_id
        and k.shopper_id in (select m.shopper_id union
          select theirs.shopper_id from shopper_keys mine join shopper_keys theirs on theirs.store_id = mine.store_id
            and theirs.kind = 'device' and theirs.value = mine.value
          where mine.store_id = m.store_id and mine.shopper_id = m.shopper_id and mine.kind = 'device')) as keys
    from messages m
    join carts c on c.store_id = m.store_id and c.id = m.cart_id
    join stores s on s.id = m.store_id
    join flow_steps fs on fs.store_id = m.store_id and 'flow:' || fs.flow_id = m.origin and fs.step = m.step
    where m.id = ${messageId}`.execute(db)
  return rows.rows[0]
}
