import { expect, test } from 'vitest'
import type { NotificationType } from '../../../shared/workspace/notifications.ts'
import { sampleNotifications } from '../../../test/notification-samples.ts'
import type { MailedRow } from '../../access/notifications/mail-rules.ts'
import { hasAddress } from '../../core/common/addresses-in-text.ts'
import { notificationMail } from './mails.ts'

const LINK = 'Your account is locked: https://evil.example/login or www.evil.com'

function getMail(type: NotificationType, data: object) {
  const row = { id: 'n', type, data: { ...sampleNotifications[type], ...data }, created_at: new Date(0) }
  const rows = [{ ...row, store_id: 's', store_name: 'Heron', platform: 'woocommerce' } as MailedRow]
  const news = { rows, total: 1, timeZone: 'UTC' } as Parameters<typeof notificationMail>[0]
  return notificationMail(news, { name: 'Ana', kind: 'at_once', publicUrl: 'https://recoup.example' })
}

test.each([
  ['cart_abandoned', { customer: LINK }],
  ['cart_recovered', { customer: LINK }],
  ['email_failed', { cause: 'bounced', to: 'a', answer: LINK }],
  ['email_failed', { cause: 'refused', step: 1, to: 'a', answer: LINK }],
  ['domain_throttled', { domain: 'x', kind: 'blocked', answer: LINK }],
  ['push_refused', { answer: LINK }],
  ['stage_failed', { stage: 'sending', cause: 'mail_server', detail: LINK }],
  ['store_check_failed', { code: 'unreachable', detail: LINK }],
] as const)('another person’s name or answer adds no link to a mail about %s', (type, data) => {
  const { subject, paragraphs } = getMail(type, data)
  const text = [subject, paragraphs[1]].join('\n')
  expect(text).toContain('evil')
  expect(hasAddress(text)).toBe(false)
})

test('a mail keeps a name and a response without an address unchanged', () => {
  expect(getMail('cart_abandoned', { customer: 'J. R. Smith' }).paragraphs[1]).toContain('J. R. Smith abandoned a cart')
  const answer = '550 5.1.1 No such user (in 3.5 s) at 203.0.113.5'
  expect(getMail('email_failed', { cause: 'bounced', to: 'a', answer }).paragraphs[1]).toContain(answer)
})
