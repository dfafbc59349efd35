import { expect, test } from 'vitest'
import { type NotificationData, notificationText, notificationTypes } from './notifications.ts'
import { STAGES } from './stages.ts'

const AT = new Date('2026-03-10T12:00:00Z')
const cart = { cartId: 'c', customer: 'Ada', value: 5_000, currency: 'USD', timestamp: AT.toISOString() }
const message = { cartId: 'c', messageId: 'm' }
const sent = { ...message, step: 1, to: 'ada@example.com', isInMailbox: false }
const refused = { ...message, step: null, to: 'ada@example.com', cause: 'refused' as const, answer: '550 no such user' }
const samples: NotificationData = {
  cart_abandoned: { ...cart, itemCount: 1 },
  cart_recovered: cart,
  ...{ email_sent: sent, sms_sent: sent, whatsapp_sent: sent, push_sent: sent },
  ...{ email_failed: refused, sms_failed: refused, whatsapp_failed: refused, push_failed: refused },
  stage_failed: {
    ...{ stage: 'sync', cause: 'timeout', since: '2026-03-10T11:00:00Z', waiting: 0, detail: 'no answer' },
    alarmId: 'a',
  },
  stage_resumed: { stage: 'sync', lastedMs: 3_600_000, alarmId: 'a' },
  capture_flood: { ceiling: 70 },
  domain_throttled: { domain: 'strict.example', kind: 'deferred', since: AT.toISOString(), answer: '451 later' },
  domain_reopened: { domain: 'strict.example' },
  connection_test: { test: true, channel: 'store', to: 'https://shop.example' },
  store_connected: { url: 'https://shop.example' },
  store_check_failed: { code: 'wrong_key', detail: null },
  complaint_failed: { ...message, to: 'ada@example.com' },
  import_finished: { importId: 'i', fileName: 'consents.csv', rows: 3, added: 2, refused: 1 },
  plan_limit: { channel: 'email', renewsAt: null },
  budget_reached: { renewsAt: null },
}
const say = <Type extends keyof NotificationData>(type: Type, data: NotificationData[Type] = samples[type]) =>
  notificationText({ type, data, createdAt: AT })

test.each(notificationTypes)('a notification of the type %s has a title and a message', (type) => {
  const { title, message } = say(type)
  expect(title).toMatch(/^\S.{3,}/)
  expect(message).toMatch(/^\S.{3,}/)
  expect(`${title} ${message}`).not.toMatch(/undefined|null|NaN|\[object/)
})

test('a message that failed says how', () => {
  const said = [
    say('email_failed').message,
    say('email_failed', { ...message, step: 2, to: 'a@b.example', cause: 'unanswered' }).message,
    say('email_failed', { ...message, to: 'a@b.example', cause: 'bounced', answer: null }).message,
    say('sms_failed', { ...message, to: '+1', cause: 'undelivered', code: '30005' }).message,
    say('sms_failed', { ...message, to: '+1', cause: 'undelivered', code: null }).message,
    say('email_failed', { ...message, cause: 'unrenderable', step: 1, count: 3 }).title,
  ]
  expect(said).toEqual([
    'The email to ada@example.com: 550 no such user',
    'Reminder 2 to a@b.example: no answer from the mail server',
    'The email to a@b.example bounced.',
    'The SMS to +1 was not delivered (SMS provider code 30005).',
    'The SMS to +1 was not delivered.',
    '3 messages were not sent: the text cannot be rendered',
  ])
})

test('each stage that stops says for how long and why, and that it goes on', () => {
  for (const stage of STAGES) {
    const stopped = say('stage_failed', { ...samples.stage_failed, stage, cause: 'late', waiting: 2 })
    expect([stage, stopped.message.length > 60]).toEqual([stage, true])
    expect(say('stage_resumed', { ...samples.stage_resumed, stage }).message).toContain('open for 60 minutes')
  }
  expect(say('stage_failed').message).toContain('for 60 minutes')
  expect(say('stage_failed').message).toContain('(no answer)')
  expect(say('stage_failed', { ...samples.stage_failed, cause: 'not_begun', detail: null }).message).toContain(
    'None was started',
  )
})
