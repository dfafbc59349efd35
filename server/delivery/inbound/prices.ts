import { type Db, listStoresWithPriceLookups, type StoreDb, sql, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { Cost, TextChannelName } from '../../messages/channels/public.ts'
import { bookSpend, correctCosts } from '../texts/public.ts'

// Final prices of messages. The send books an estimate. Twilio reports the price some minutes after delivery, which
// then replaces the estimate.

const MAX_TRIES = 8
const AT_ONCE = 20

/** Tick: requests the prices that should be known by now. */
export async function fetchPrices(deps: Pick<Deps, 'channels' | 'db' | 'now'>): Promise<void> {
  let room = AT_ONCE
  for (const storeId of await listStoresWithPriceLookups(deps.db, deps.now(), AT_ONCE)) {
    if (room <= 0) return
    const store = { storeId, db: deps.db }
    const due = await takePriceLookups(store, deps.now(), room)
    for (const each of due) await fetchPrice(deps, store, each)
    room -= due.length
  }
}

async function fetchPrice(deps: Pick<Deps, 'channels'>, store: StoreDb<Db>, due: PriceDue): Promise<void> {
  const channel = await deps.channels.text(due.account_id, due.channel)
  const cost = (await channel?.priceOf?.(due.provider_id).catch(() => null)) ?? null
  if (cost) await book(store, due, cost)
  else if (due.tries >= MAX_TRIES) await deletePriceDue(store, due.provider_id)
}

async function book(store: StoreDb<Db>, due: PriceDue, cost: Cost): Promise<void> {
  await transact(store, async (tx) => {
    if (!(await deletePriceDue(tx, due.provider_id))) return
    const booked = await bookedCost(tx, due.message_id)
    if (!booked) return
    await correctCosts(tx, [{ id: due.message_id, segments: null, cost }])
    const amount = { amountMicros: -booked.micros, currency: booked.currency }
    await bookSpend(tx, due.account_id, booked.month, [amount, cost])
  })
}

// SQL for messages whose final price is not known yet.

interface PriceDue {
  account_id: string
  provider_id: string
  channel: TextChannelName
  store_id: string
  message_id: string
  tries: number
}

/** Takes due look-ups and postpones them first, so that two workers do not request the same price. */
async function takePriceLookups({ db, storeId }: StoreDb, now: Date, limit: number): Promise<PriceDue[]> {
  const rows = await sql<PriceDue>`
    update price_lookups p set tries = p.tries + 1, next_at = ${now}::timestamptz + interval '4 minutes' * power(2, p.tries)
    from (select provider_id from price_lookups where store_id = ${storeId} and next_at <= ${now}
      order by next_at limit ${limit} for update skip locked) due
    where p.store_id = ${storeId} and p.provider_id = due.provider_id
    returning p.account_id, p.provider_id, p.channel, p.store_id, p.message_id, p.tries`.execute(db)
  return rows.rows
}

/** Returns false if another process has booked it. */
async function deletePriceDue({ db, storeId }: StoreDb, providerId: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('price_lookups')
    .where('store_id', '=', storeId)
    .where('provider_id', '=', providerId)
    .returning('provider_id')
    .execute()
  return deleted.length > 0
}

/** The booked cost and its month (UTC). */
async function bookedCost({ db, storeId }: StoreDb, messageId: string) {
  const rows = await sql<{ micros: number; currency: string; month: string }>`
    select cost_micros as micros, cost_currency as currency,
      to_char(sending_at at time zone 'UTC', 'YYYY-MM-01') as month
    from messages where store_id = ${storeId} and id = ${messageId} and cost_micros is not null
      and sending_at is not null for update`.execute(db)
  return rows.rows[0]
}
