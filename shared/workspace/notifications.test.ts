import { expect, test } from 'vitest'
import { SAMPLED_AT as AT, sampleNotifications as samples } from '../../test/notification-samples.ts'
import { STAGES } from '../insights/stages.ts'
import { getNotificationText, type NotificationData, notificationTypes } from './notifications.ts'

const message = { cartId: 'c', messageId: 'm' }
const say = <Type extends keyof NotificationData>(type: Type, data: NotificationData[Type] = samples[type]) =>
  getNotificationText({ type, data, createdAt: AT })

test.each(notificationTypes)('%s has a title and a message', (type) => {
  const { title, message } = say(type)
  expect(title).toMatch(/^\S.{3,}/)
  expect(message).toMatch(/^\S.{3,}/)
  expect(`${title} ${message}`).not.toMatch(/undefined|null|NaN|\[object/)
})

test('the text of a failed message contains its cause', () => {
  const texts = [
    say('email_failed').message,
    say('email_failed', { ...message, step: 2, to: 'a@b.example', cause: 'unanswered' }).message,
    say('email_failed', { ...message, to: 'a@b.example', cause: 'bounced', answer: null }).message,
    say('sms_failed', { ...message, to: '+1', cause: 'undelivered', code: '30005' }).message,
    say('sms_failed', { ...message, to: '+1', cause: 'undelivered', code: null }).message,
    say('email_failed', { ...message, cause: 'unrenderable', step: 1, count: 3 }).title,
  ]
  expect(texts).toEqual([
    'The email to ada@example.com: 550 no such user',
    'Reminder 2 to a@b.example: no answer from the mail server',
    'The email to a@b.example bounced.',
    'The SMS to +1 was not delivered (SMS provider code 30005).',
    'The SMS to +1 was not delivered.',
    '3 messages were not sent: the text cannot be rendered',
  ])
})

test('each stopped stage states duration and cause, and its recovery is reported', () => {
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
