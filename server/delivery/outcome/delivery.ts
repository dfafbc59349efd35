import type { DeliveryReport, InboundText, TextChannelName } from '../../messages/channels/channel.ts'
import { type AccountDb, type Db, type StoreTx, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { isFailed } from '../../messages/messages/state-rules.ts'
import { notify } from '../../access/notifications/notifications.ts'
import { lockShoppersOf } from '../../shoppers/shoppers/shoppers.ts'
import { insertSuppression } from '../../shoppers/suppressions/unsubscribe.ts'
import * as sql from './delivery-sql.ts'
import { undoBadge } from './outcome-sql.ts'

// What providers say of a text after they accepted it (D4). Reports may come twice, late, in any order, and before the provider's own
// answer: every one is kept once, and a message's state is what all of its reports come to.

/** For the channels' webhooks, which have made sure that the account's provider says it. */
export async function recordDeliveryReport(deps: Deps, report: DeliveryReport): Promise<void> {
  const account = { accountId: report.accountId, db: deps.db }
  const place = report.messageId ? await sql.placeOf(account, report) : undefined
  if (place) return recordInPlace(deps, report, place)
  await sql.keepReport(account, report)
  await applyReports(deps, { ...report, providerIds: [report.providerId] })
}

/** Kept, named and taken up in one commit, and not while an answer to the same message is written down: one of the two sees the other. */
async function recordInPlace(
  deps: Deps,
  report: DeliveryReport,
  { id, store_id: storeId, shopper_id: shopperId }: sql.ReportedMessage,
): Promise<void> {
  const { accountId, channel } = report
  await transact({ storeId, db: deps.db }, async (tx) => {
    await lockShoppersOf(tx, [shopperId])
    await sql.lockMessage(tx, id)
    await sql.keepReport({ accountId, db: tx.db }, report)
    await sql.nameMessage(tx, report)
    await applyReportsOf(deps, tx, { accountId, channel, messageIds: [id] })
  })
}

/**
 * To be asked again once a message says its provider's id: a report that does not say ours, from the moment in which the answer was
 * written down, waited for it.
 */
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
      await applyReportsOf(deps, tx, { accountId, channel, messageIds: rows.map((row) => row.id) })
    })
  }
}

/** In the commit that says what became of these texts: whoever dies after it has left no report behind. */
export async function applyReportsOf(
  deps: Deps,
  tx: StoreTx,
  { accountId, channel, messageIds }: { accountId: string; channel: TextChannelName; messageIds: readonly string[] },
): Promise<void> {
  const moved = await sql.applyReports(tx, accountId, messageIds, deps.now())
  for (const row of moved) await noteMove(deps, tx, { accountId, channel, row })
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
  if (!isFailed(row.state)) return
  // Decision 11: what was not delivered is not what the badge is about.
  await undoBadge(tx, row.id)
  const { id: messageId, cart_id: cartId, to_address: to, code } = row
  const data = { cartId, messageId, to, cause: 'undelivered' as const, code }
  await notify(tx, { type: `${channel}_failed`, data, at: now })
}

/** A shopper wrote to us: WhatsApp then allows free text for a day. */
export async function noteInbound(deps: Deps, account: AccountDb, { channel, from, at }: InboundText): Promise<void> {
  await sql.keepInbound(account, { channel, hash: deps.secrets.addressHash(from), at })
}
