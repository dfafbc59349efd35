import { notify } from '../../access/notifications/public.ts'
import * as system from '../../core/db/public.ts'
import { type Db, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { maskAddress } from '../../messages/channels/public.ts'
import { isFailedState, setUnsubscribed, skipOpenMessagesTo } from '../../messages/messages/public.ts'
import { insertAnswer } from '../../shoppers/consent/public.ts'
import { lockShoppersById } from '../../shoppers/shoppers/public.ts'
import { noteReport } from '../deliverability/public.ts'
import { undoBadge } from '../outcome/public.ts'
import {
  applyMailReports,
  keepMailReport,
  listWaitingMailReports,
  type MailReportRow,
  suppressReported,
} from './mail-reports-sql.ts'

// Reports of receivers and mail providers about accepted mails (D4): delivered, soft bounce, hard bounce or spam
// complaint. Reports may come twice, late, in any order, and before the mail server's reply.

export interface MailReport extends Omit<MailReportRow, 'at'> {
  at?: Date
}

/** Records a verified report. A report about an unknown mail changes nothing. */
export async function recordMailReport(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets'>,
  report: MailReport,
): Promise<void> {
  const message = await system.findMailById(deps.db, report.messageId)
  if (!message) return
  const now = deps.now()
  const at = report.at && report.at < now ? report.at : now
  const isNew = await transact({ storeId: message.store_id, db: deps.db as Db }, async (tx) => {
    await lockShoppersById(tx, [message.shopper_id])
    if (!(await keepMailReport(tx, { ...report, at }))) return false
    await suppressFor(deps, tx, report, message)
    await apply(deps, tx, message.id)
    return true
  })
  if (isNew) await noteReport(deps, message, report)
  deps.log.info(
    { storeId: message.store_id, messageId: message.id, kind: report.kind, source: report.source },
    'messages.report',
  )
}

const SUPPRESSES: Partial<Record<MailReport['kind'], 'hard_bounce' | 'complaint' | 'unsubscribed'>> = {
  hard: 'hard_bounce',
  complaint: 'complaint',
  opt_out: 'unsubscribed',
}

type Mail = NonNullable<Awaited<ReturnType<typeof system.findMailById>>>

/** Suppresses the address in the same commit, which also stops its unsent messages (C2). */
async function suppressFor(
  deps: Pick<Deps, 'now' | 'secrets'>,
  tx: StoreTx,
  { kind, source }: MailReport,
  mail: Mail,
): Promise<void> {
  const reason = SUPPRESSES[kind]
  if (!reason) return
  const { account_id: accountId, to_address: address } = mail
  const now = deps.now()
  const hash = deps.secrets.addressHash(address)
  await suppressReported(tx, { accountId, hash, address, reason, source, at: now })
  await skipOpenMessagesTo(tx, { accountId, address, channel: 'email', now, reason: `suppressed_${reason}` })
  if (kind === 'opt_out') {
    const who = maskAddress('email', address)
    const withdrawal = { channel: 'email', status: 'withdrawn', wording: null } as const
    await insertAnswer(tx, { ...withdrawal, addressHash: hash, source, at: now, who })
    await setUnsubscribed(tx, mail.id, { at: now })
  }
  if (kind !== 'complaint') return
  const data = { cartId: mail.cart_id, messageId: mail.id, to: address }
  await notify(tx, { type: 'complaint_failed', data, at: now })
}

async function apply(deps: Pick<Deps, 'now'>, tx: StoreTx, messageId: string): Promise<void> {
  const now = deps.now()
  for (const moved of await applyMailReports(tx, messageId, now)) {
    if (!isFailedState(moved.state)) continue
    // An undelivered mail does not count for the badge (decision 11).
    await undoBadge(tx, moved.id)
    const { id: messageId, cart_id: cartId, to_address: to, words: answer } = moved
    const data = { cartId, messageId, to, cause: 'bounced' as const, answer }
    await notify(tx, { type: 'email_failed', data, at: now })
  }
}

/** Tick: applies reports that came before the mail server's reply was recorded. */
export async function applyWaitingReports(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  for (const { store_id, message_id, shopper_id } of await listWaitingMailReports(deps.db)) {
    await transact({ storeId: store_id, db: deps.db as Db }, async (tx) => {
      // An erasure takes the same lock, so it either erases what is written here or leaves nothing to write to.
      await lockShoppersById(tx, [shopper_id])
      await apply(deps, tx, message_id)
    })
  }
}
