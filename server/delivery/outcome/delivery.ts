import { notify } from '../../access/notifications/public.ts'
import { type AccountDb, type Db, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { DeliveryReport, InboundText, TextChannelName } from '../../messages/channels/public.ts'
import { isFailedState } from '../../messages/messages/public.ts'
import { lockShoppersById } from '../../shoppers/shoppers/public.ts'
import { insertSuppression } from '../../shoppers/suppressions/public.ts'
import * as sql from './delivery-sql.ts'
import { undoBadge } from './outcome-sql.ts'

// Delivery reports of SMS and WhatsApp (D4). Reports may come twice, late, in any order, and before the provider's
// reply to the send. Each one is stored once, and the message's state follows from all of them.

/** Records a report from a channel's webhook, which has verified that it comes from the account's provider. */
export async function recordDeliveryReport(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  report: DeliveryReport,
): Promise<void> {
  const account = { accountId: report.accountId, db: deps.db }
  const message = report.messageId ? await sql.findReportedMessage(account, report) : undefined
  if (message) return recordForMessage(deps, report, message)
  await sql.keepReport(account, report)
  await applyReports(deps, { ...report, providerIds: [report.providerId] })
}

/**
 * Stores and applies the report in one commit. The lock orders it with the recording of the reply, so one of the two
 * sees the other.
 */
async function recordForMessage(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  report: DeliveryReport,
  { id, store_id: storeId, shopper_id: shopperId }: sql.ReportedMessage,
): Promise<void> {
  const { accountId, channel } = report
  await transact({ storeId, db: deps.db }, async (tx) => {
    await lockShoppersById(tx, [shopperId])
    await sql.lockMessage(tx, id)
    await sql.keepReport({ accountId, db: tx.db }, report)
    await sql.setProviderId(tx, report)
    await applyMessageReports(deps, tx, { accountId, channel, messageIds: [id] })
  })
}

/**
 * Applies stored reports by provider id. Call again once a message has its provider id: a report without our own id may
 * have arrived before that.
 */
export async function applyReports(
  deps: Pick<Deps, 'db' | 'now' | 'secrets'>,
  filter: { accountId: string; channel: TextChannelName; providerIds: readonly string[] },
): Promise<void> {
  const { accountId, channel, providerIds } = filter
  const messages = await sql.reportedMessages({ accountId, db: deps.db }, channel, providerIds)
  for (const [storeId, rows] of Map.groupBy(messages, (row) => row.store_id)) {
    await transact({ storeId, db: deps.db as Db }, async (tx) => {
      await lockShoppersById(
        tx,
        rows.map((row) => row.shopper_id),
      )
      await applyMessageReports(deps, tx, { accountId, channel, messageIds: rows.map((row) => row.id) })
    })
  }
}

/**
 * Applies stored reports in the commit that records the outcome, so that a crash after it leaves no report unapplied.
 */
export async function applyMessageReports(
  deps: Pick<Deps, 'now' | 'secrets'>,
  tx: StoreTx,
  { accountId, channel, messageIds }: { accountId: string; channel: TextChannelName; messageIds: readonly string[] },
): Promise<void> {
  const moved = await sql.applyReports(tx, accountId, messageIds, deps.now())
  for (const row of moved) await recordMove(deps, tx, { accountId, channel, row })
}

async function recordMove(
  deps: Pick<Deps, 'now' | 'secrets'>,
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
  if (!isFailedState(row.state)) return
  // An undelivered message does not count for the badge (decision 11).
  await undoBadge(tx, row.id)
  const { id: messageId, cart_id: cartId, to_address: to, code } = row
  const data = { cartId, messageId, to, cause: 'undelivered' as const, code }
  await notify(tx, { type: `${channel}_failed`, data, at: now })
}

/** Records that a shopper wrote to us: WhatsApp then allows free text for 24 hours. */
export async function recordInbound(
  deps: Pick<Deps, 'secrets'>,
  account: AccountDb,
  { channel, from, at }: InboundText,
): Promise<void> {
  await sql.keepInbound(account, { channel, hash: deps.secrets.addressHash(from), at })
}
