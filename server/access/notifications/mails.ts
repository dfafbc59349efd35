import type { z } from 'zod'
import { isMailedAtOnce, type NotificationTopic, topicOf, typesOf } from '../../../shared/notification-kinds.ts'
import type { NotificationType } from '../../../shared/notifications.ts'
import { type AccountTx, type Db, transactAccount } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { mailNotifications } from './jobs.ts'
import { MAIL_EVERY_MS, type MailedRow, nextDigest, ownerTopics } from './mail-rules.ts'
import * as sql from './mails-sql.ts'
import { readPreferences } from './preferences.ts'

// Mail to members about notifications: problems at once, or a summary a day (decision 65).

const MEMBERS_AT_ONCE = 100
/** A mail has a line for each; it says how many more there are. */
const MOST_LINES = 20

/** In the transaction that makes the notifications. */
export async function scheduleMails(
  tx: AccountTx,
  { rows, before, now }: { rows: readonly Pick<MailedRow, 'type'>[]; before: Date; now: Date },
): Promise<void> {
  const types = rows.map(({ type }) => type)
  const topicsOf = (some: readonly NotificationType[]) => [...new Set<NotificationTopic>(some.map(topicOf))]
  const digestAt = nextDigest(now, await sql.timeZoneOf(tx))
  await sql.scheduleMails(tx, {
    ...{ before, nextAt: now, digestAt, everyMs: MAIL_EVERY_MS, usual: ownerTopics },
    topics: topicsOf(types),
    atOnce: topicsOf(types.filter(isMailedAtOnce)),
  })
}

/** Tick: each mail that is due becomes one job, in the transaction that writes down up to where. */
export async function mailDueNotifications(deps: Deps): Promise<void> {
  const now = deps.now()
  for (const { account_id: accountId, user_id: userId } of await sql.dueMails(deps.db, now, MEMBERS_AT_ONCE)) {
    await mailDue(deps, { accountId, userId }, now).catch((error) => {
      // The others' mail goes on.
      deps.log.error({ err: error, accountId, userId }, 'notifications.mail_failed')
    })
  }
}

async function mailDue(deps: Deps, member: { accountId: string; userId: string }, now: Date): Promise<void> {
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

export interface ToMail {
  /** The oldest first, as many as a mail has lines. */
  rows: MailedRow[]
  /** How many there are. */
  total: number
  /** On whose clock the mail says when they came. */
  timeZone: string
}

/** What the member is to be mailed: what they have chosen by now decides. */
export async function rowsToMail(
  { db }: Pick<Deps, 'db'>,
  { accountId, userId, kind, from, upTo }: z.infer<typeof mailNotifications.payload>,
): Promise<ToMail> {
  const account = { accountId, db }
  const member = await sql.memberOf(account, userId)
  const timeZone = await sql.timeZoneOf(account)
  if (!member) return { rows: [], total: 0, timeZone }
  const preferences = await readPreferences(account, { userId, role: member.role })
  const types = preferences
    .filter(({ mail }) => mail === kind)
    .flatMap(({ topic }) => typesOf(topic))
    .filter((type) => kind === 'daily' || isMailedAtOnce(type))
  const between = { types, from, upTo }
  const rows = await sql.rowsBetween(account, between, MOST_LINES)
  const total = rows.length < MOST_LINES ? rows.length : await sql.countBetween(account, between)
  return { rows, total, timeZone }
}
