import { notificationText } from '../../shared/notifications.ts'
import type { AccountMail } from '../accounts/account-mail.ts'
import type { MailedRow } from '../notifications/mail-rules.ts'
import type { ToMail } from '../notifications/mails.ts'

// The words of mail about notifications. Pure.

interface Letter {
  name: string
  kind: 'at_once' | 'daily'
  publicUrl: string
}

/** The oldest first. */
export function notificationMail({ rows, total }: ToMail, { name, kind, publicUrl }: Letter): AccountMail {
  const texts = rows.map((row) => ({ row, ...notificationText({ ...row, createdAt: row.created_at }) }))
  const of = ({ store_name }: MailedRow) => (store_name ? ` (${store_name})` : '')
  const [first] = texts as [(typeof texts)[number]]
  const isOne = total === 1
  const lines = texts.map(({ title, message, row }) => `${title}${of(row)}: ${message}`)
  const left = total - lines.length
  return {
    subject: kind === 'daily' ? `Your daily summary: ${counted(total)}` : subjectOf(first.title + of(first.row), total),
    paragraphs: [`Hello ${name},`, ...lines, ...(left > 0 ? [`And ${left} more.`] : [])],
    link: {
      label: isOne ? 'Open the notification' : 'Open the notifications',
      url: `${publicUrl}/notifications${isOne ? queryOf(first.row) : ''}`,
    },
    after: [
      `You choose which of these emails you get under Settings, Account, Notifications: ${publicUrl}/settings/account/notifications`,
    ],
  }
}

/** Which of the account's stores it is of, too: the browser may have another one open. */
const queryOf = ({ id, store_id, platform }: MailedRow): string => {
  const ofStore = store_id && platform ? { platform, storeId: store_id } : {}
  return `?${new URLSearchParams({ ...ofStore, notificationId: id })}`
}

const counted = (count: number) => (count === 1 ? '1 notification' : `${count} notifications`)
const subjectOf = (title: string, count: number) => (count === 1 ? title : `${title}, and ${count - 1} more`)
