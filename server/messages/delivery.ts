import type { DeliveryReport, InboundText, TextChannelName } from '../channels/channel.ts'
import { channelTraits } from '../channels/traits.ts'
import { type AccountDb, type Db, type StoreTx, transact } from '../db.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { insertSuppression, lockShoppersOf, undoBadge } from './deliver-sql.ts'
import * as sql from './delivery-sql.ts'

// What providers say of a text after they accepted it (D4). Reports may come twice, late, in any order, and before the provider's own
// answer: every one is kept once, and a message's state is what all of its reports come to.

/** For the channels' webhooks, which have made sure that the account's provider says it. */
export async function recordDeliveryReport(deps: Deps, report: DeliveryReport): Promise<void> {
  const account = { accountId: report.accountId, db: deps.db }
  await sql.keepReport(account, report)
  if (report.messageId) await sql.nameMessage(account, report)
  await applyReports(deps, { ...report, providerIds: [report.providerId] })
}

/** To be asked again once a message says its provider's id: what was reported before then waited for it. */
export async function applyReports(
  deps: Deps,
  wanted: { accountId: string; channel: TextChannelName; providerIds: readonly string[] },
): Promise<void> {
  const { accountId, channel, providerIds } = wanted
  const messages = await sql.reportedMessages({ accountId, db: deps.db }, channel, providerIds)
  for (const [storeId, rows] of Map.groupBy(messages, (row) => row.store_id)) {
    await transact({ storeId, db: deps.db as Db }, async (tx) => {
      await lockShoppersOf(
        tx,
        rows.map((row) => row.shopper_id),
      )
      const ids = rows.map((row) => row.id)
      const moved = await sql.applyReports(tx, accountId, ids, deps.now())
      for (const row of moved) await noteMove(deps, tx, { accountId, channel, row })
    })
  }
}

/** The same for texts whose answer did not come: a report may have been there before that was known. */
export async function applyEarlyReports(deps: Deps, storeId: string, messageIds: readonly string[]): Promise<void> {
  for (const named of await sql.namedAmong({ storeId, db: deps.db }, messageIds)) {
    const { account_id: accountId, channel, provider_id } = named
    await applyReports(deps, { accountId, channel, providerIds: [provider_id] })
  }
}

async function noteMove(
  deps: Deps,
  tx: StoreTx,
  { accountId, channel, row }: { accountId: string; channel: TextChannelName; row: sql.MovedMessage },
): Promise<void> {
  const now = deps.now()
  if (row.suppress) {
    await insertSuppression(tx, {
      accountId,
      hash: deps.secrets.addressHash(row.to_address),
      channel,
      address: row.to_address,
      reason: row.suppress,
      source: channel,
      at: now,
    })
  }
  if (row.state !== 'failed') return
  // Decision 11: what was not delivered is not what the badge is about.
  await undoBadge(tx, row.id)
  const { word, provider } = channelTraits[channel]
  await sql.insertNews(tx, {
    id: newId(),
    type: `${channel}_failed`,
    title: `Recovery ${word} not delivered`,
    message: `The ${word} to ${row.to_address} was not delivered${row.code ? ` (the ${provider}'s code ${row.code})` : ''}.`,
    data: { cartId: row.cart_id, messageId: row.id, timestamp: now.toISOString() },
    created_at: now,
  })
}

/** A shopper wrote to us: WhatsApp then allows free text for a day. */
export async function noteInbound(deps: Deps, account: AccountDb, { channel, from, at }: InboundText): Promise<void> {
  await sql.keepInbound(account, { channel, hash: deps.secrets.addressHash(from), at })
}
