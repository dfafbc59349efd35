import type { z } from 'zod'
import { isProblem, readTone, readTopic } from '../../../shared/workspace/notification-kinds.ts'
import { getNotificationText } from '../../../shared/workspace/notifications.ts'
import {
  type MailedRow,
  type MailRows,
  type mailNotifications,
  readRowsToMail,
} from '../../access/notifications/public.ts'
import { removeLinks } from '../../core/common/public.ts'
import type { Deps } from '../../deps.ts'
import { type AccountMail, type MailItem, mailMember } from '../accounts/public.ts'

/** Sends nothing if there is nothing to report. */
export async function sendNotificationMail(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'log'>,
  payload: z.infer<typeof mailNotifications.payload>,
): Promise<void> {
  const news = await readRowsToMail(deps, payload)
  if (news.rows.length === 0) return
  const { kind, userId } = payload
  const { publicUrl } = deps.config
  await mailMember(deps, userId, (name) => notificationMail(news, { name, kind, publicUrl }))
}

// Texts of notification mails. Pure.

interface NotificationMailInput {
  name: string
  kind: 'at_once' | 'daily'
  publicUrl: string
}

/** Oldest first. */
export function notificationMail(news: MailRows, letter: NotificationMailInput): AccountMail {
  const { total } = news
  const items = news.rows.map((row) => buildItem(row, letter.publicUrl, news.timeZone))
  const [first] = items as [MailItem]
  const footer = {
    label: 'Choose which of these emails you get',
    url: `${letter.publicUrl}/settings/account/notifications`,
  }
  const isDaily = letter.kind === 'daily'
  const { store_name: store } = news.rows[0]!
  const subject = store ? `${first.title} (${store})` : first.title
  if (total === 1 && !isDaily) {
    const link = { label: isOfBilling(news.rows[0]!) ? 'Open billing' : 'Open the notification', url: first.url }
    return { subject, paragraphs: [`Hello ${letter.name},`, first.text, first.note], link, footer }
  }
  const counted = total === 1 ? '1 notification' : `${total} notifications`
  const remaining = total - items.length
  return {
    subject: isDaily ? `Your daily summary: ${counted}` : `${subject}, and ${total - 1} more`,
    paragraphs: [`Hello ${letter.name},`, 'Here is what happened:'],
    items,
    ...(remaining > 0 && { more: `And ${remaining} more.` }),
    link: news.rows.every(isOfBilling)
      ? { label: 'Open billing', url: buildBillingUrl(letter.publicUrl) }
      : { label: 'Open the notifications', url: `${letter.publicUrl}/notifications` },
    footer,
  }
}

function buildItem(row: MailedRow, publicUrl: string, timeZone: string): MailItem {
  const { title, message } = getNotificationText({
    ...row,
    data: freeTextWithoutLinks(row.data),
    createdAt: row.created_at,
  })
  const at = row.created_at.toLocaleString('en-US', { timeZone, ...WHEN })
  return {
    title,
    url: isOfBilling(row) ? buildBillingUrl(publicUrl) : `${publicUrl}/notifications?${buildQuery(row)}`,
    note: row.store_name ? `${at} · ${row.store_name}` : at,
    text: message,
    tone: isProblem(row.type) ? 'problem' : readTone(row.type),
  }
}

/**
 * Shopper names and server responses are untrusted. Mails must not turn them into links; the screen shows them
 * unchanged.
 */
function freeTextWithoutLinks(data: MailedRow['data']): MailedRow['data'] {
  const free = Object.entries(data).filter(([key, value]) => FREE_TEXT.includes(key) && typeof value === 'string')
  return Object.assign({ ...data }, Object.fromEntries(free.map(([key, value]) => [key, removeLinks(value)])))
}

const FREE_TEXT = ['customer', 'product', 'answer', 'detail']

/** The billing page works without a connected store, when there is no notification list. */
const isOfBilling = ({ type }: Pick<MailedRow, 'type'>) => readTopic(type) === 'billing'
const buildBillingUrl = (publicUrl: string) => `${publicUrl}/billing`

/** As on screen (B 2), plus the time zone, which a mail's reader may not know. */
const WHEN = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const

/** Names the account's store, because the browser may have another one open. */
function buildQuery({ id, store_id, platform }: MailedRow): URLSearchParams {
  const ofStore = store_id && platform ? { platform, storeId: store_id } : {}
  return new URLSearchParams({ ...ofStore, notificationId: id })
}
