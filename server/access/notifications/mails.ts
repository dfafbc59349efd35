import type { z } from 'zod'
import { isMailedAtOnce, type NotificationTopic, readTopic, typesOf } from '../../../shared/notification-kinds.ts'
import type { NotificationType } from '../../../shared/notifications.ts'
import { type AccountTx, type Db, transactAccount } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { mailNotifications } from './jobs.ts'
import { MAIL_EVERY_MS, type MailedRow, nextDigest, ownerTopics } from './mail-rules.ts'
import * as sql from './mails-sql.ts'
import { readPreferences } from './preferences.ts'

// Mails members about notifications: problems at once, or a daily summary (decision 65).

const MEMBERS_AT_ONCE = 100
/** Maximum number of lines in a mail; it also names the number of further ones. */
const MAX_LINES = 20

/** Call in the transaction that creates the notifications. */
export async function scheduleMails(
  tx: AccountTx,
  { rows, before, now }: { rows: readonly Pick<MailedRow, 'type'>[]; before: Date; now: Date },
): Promise<void> {
  const types = rows.map(({ type }) => type)
  const topicsOf = (some: readonly NotificationType[]) => [...new Set<NotificationTopic>(some.map(readTopic))]
  const digestAt = nextDigest(now, await sql.readTimeZone(tx))
  await sql.scheduleMails(tx, {
    ...{ before, nextAt: now, digestAt, everyMs: MAIL_EVERY_MS, usual: ownerTopics },
    topics: topicsOf(types),
    atOnce: topicsOf(types.filter(isMailedAtOnce)),
  })
}

/** Tick: turns each due mail into a job, in the transaction that records its end. */
export async function mailDueNotifications(deps: Deps): Promise<void> {
  const now = deps.now()
  for (const { account_id: accountId, user_id: userId } of await sql.listDueMails(deps.db, now, MEMBERS_AT_ONCE)) {
    await queueDueMail(deps, { accountId, userId }, now).catch((error) => {
      // One member's failure does not stop the others.
      deps.log.error({ err: error, accountId, userId }, 'notifications.mail_failed')
    })
  }
}

async function queueDueMail(deps: Deps, member: { accountId: string; userId: string }, now: Date): Promise<void> {
  await transactAccount({ accountId: member.accountId, db: deps.db as Db }, async (tx) => {
    const due = await sql.lockDueMail(tx, member.userId, now)
    if (!due) return
    const base = { ...member, upTo: due.last_at }
    if (due.is_due) {
      const payload = { ...base, kind: 'at_once' as const, from: due.mailed_up_to }
      await deps.jobs.enqueue(tx.db, mailNotifications, payload)
    }
    if (due.is_digest_due) {
      await deps.jobs.enqueue(tx.db, mailNotifications, { ...base, kind: 'daily' as const, from: due.digest_up_to })
    }
    await sql.settleMail(tx, member.userId, due, now)
  })
}

export interface MailRows {
  /** Oldest first, at most one mail's lines. */
  rows: MailedRow[]
  /** Total number of rows. */
  total: number
  /** Time zone of the times in the mail. */
  timeZone: string
}

/** The rows to mail to the member, by their current preferences. */
export async function readRowsToMail(
  { db }: Pick<Deps, 'db'>,
  { accountId, userId, kind, from, upTo }: z.infer<typeof mailNotifications.payload>,
): Promise<MailRows> {
  const account = { accountId, db }
  const member = await sql.findMember(account, userId)
  const timeZone = await sql.readTimeZone(account)
  if (!member) return { rows: [], total: 0, timeZone }
  const preferences = await readPreferences(account, { userId, role: member.role })
  const types = preferences
    .filter(({ mail }) => mail === kind)
    .flatMap(({ topic }) => typesOf(topic))
    .filter((type) => kind === 'daily' || isMailedAtOnce(type))
  const between = { types, from, upTo }
  const rows = await sql.listRowsBetween(account, between, MAX_LINES)
  const total = rows.length < MAX_LINES ? rows.length : await sql.countBetween(account, between)
  return { rows, total, timeZone }
}
