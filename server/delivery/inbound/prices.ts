import { type AccountDb, type Db, type StoreDb, transact } from '../../core/db/db.ts'
import { listStoresWithPriceLookups } from '../../core/db/system.ts'
import type { Deps } from '../../deps.ts'
import type { Cost, TextChannelName } from '../../messages/channels/channel.ts'
import { bookSpend, correctCosts } from '../texts/spend.ts'
import * as sql from './prices-sql.ts'

// Final prices of messages. The send books an estimate. Twilio reports the price some minutes after delivery, which
// then replaces the estimate.

const FIRST_ASKED_AFTER_MS = 2 * 60_000
const MOST_TRIES = 8
const AT_ONCE = 20

export async function duePrice(
  deps: Deps,
  account: AccountDb<Db>,
  of: { providerId: string; messageId: string; channel: TextChannelName },
): Promise<void> {
  if (!/^[\da-f-]{36}$/i.test(of.messageId)) return
  const nextAt = new Date(deps.now().getTime() + FIRST_ASKED_AFTER_MS)
  await sql.insertPriceDue(account, { ...of, nextAt })
}

/** Tick: requests the prices that should be known by now. */
export async function fetchPrices(deps: Deps): Promise<void> {
  let room = AT_ONCE
  for (const storeId of await listStoresWithPriceLookups(deps.db, deps.now(), AT_ONCE)) {
    if (room <= 0) return
    const due = await sql.takePriceLookups({ storeId, db: deps.db }, deps.now(), room)
    for (const each of due) await fetchPrice(deps, { storeId, db: deps.db }, each)
    room -= due.length
  }
}

async function fetchPrice(deps: Deps, store: StoreDb<Db>, due: sql.PriceDue): Promise<void> {
  const channel = await deps.channels.text(due.account_id, due.channel)
  const cost = (await channel?.priceOf?.(due.provider_id).catch(() => null)) ?? null
  if (cost) await book(store, due, cost)
  else if (due.tries >= MOST_TRIES) await sql.deletePriceDue(store, due.provider_id)
}

async function book(store: StoreDb<Db>, due: sql.PriceDue, cost: Cost): Promise<void> {
  await transact(store, async (tx) => {
    if (!(await sql.deletePriceDue(tx, due.provider_id))) return
    const booked = await sql.bookedCost(tx, due.message_id)
    if (!booked) return
    await correctCosts(tx, [{ id: due.message_id, segments: null, cost }])
    const taken = { amountMicros: -booked.micros, currency: booked.currency }
    await bookSpend(tx, due.account_id, booked.month, [taken, cost])
  })
}
