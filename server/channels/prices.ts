import { type AccountDb, type Db, transactAccount } from '../db.ts'
import type { Deps } from '../deps.ts'
import { bookSpend, correctCosts } from '../messages/spend-sql.ts'
import type { Cost, TextChannelName } from './channel.ts'
import * as sql from './prices-sql.ts'

// What a message really cost. Booked by estimate when it left; Twilio says its price some minutes after it was delivered, and then that
// stands in its place.

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

/** Tick: asks for those that should be known by now. */
export async function fetchPrices(deps: Deps): Promise<void> {
  for (const due of await sql.takePricesDue(deps.db, deps.now(), AT_ONCE)) {
    const account = { accountId: due.account_id, db: deps.db }
    const channel = await deps.channels.text(due.account_id, due.channel)
    const cost = (await channel?.priceOf?.(due.provider_id).catch(() => null)) ?? null
    if (cost) await book(account, due, cost)
    else if (due.tries >= MOST_TRIES) await sql.deletePriceDue(account, due.provider_id)
  }
}

async function book(account: AccountDb<Db>, due: sql.PriceDue, cost: Cost): Promise<void> {
  await transactAccount(account, async (tx) => {
    if (!(await sql.deletePriceDue(tx, due.provider_id))) return
    const booked = await sql.bookedCost(tx, due)
    if (!booked) return
    const store = { storeId: due.store_id, db: tx.db }
    await correctCosts(store, [{ id: due.message_id, segments: null, cost }])
    const taken = { amountMicros: -booked.micros, currency: booked.currency }
    await bookSpend(store, account.accountId, booked.month, [taken, cost])
  })
}
