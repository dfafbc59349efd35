import { expect, it } from 'vitest'
import { getMessageName, type MessageView, type TimelineEntry } from '../../../shared/carts/carts.ts'
import { buildStory, describeForecast, findNextCheck, findPlannedTime } from './story.ts'

const message = (change: Partial<MessageView>) =>
  ({
    id: 'm1',
    step: 1,
    state: 'scheduled',
    dueAt: formatHour(10),
    expiresAt: formatHour(23),
    sentAt: null,
    finishedAt: null,
    decisions: [],
    ...change,
  }) as MessageView

const formatHour = (hour: number) => `2026-07-01T${String(hour).padStart(2, '0')}:00:00.000Z`

const buildEntry = (kind: string, hour: number, messageId: string | null = null): TimelineEntry => ({
  at: formatHour(hour),
  kind,
  title: kind,
  text: '',
  messageId,
})

const listTexts = (story: ReturnType<typeof buildStory>) =>
  story.map((each) => ('entry' in each ? each.entry.kind : each.message.id))

it('puts the next message first, later ones below, then the history', () => {
  const later = message({ id: 'later', step: 3, dueAt: formatHour(20) })
  const next = message({ id: 'next', step: 2, dueAt: formatHour(12) })
  const sent = message({ id: 'sent', state: 'sent', sentAt: formatHour(10) })
  const story = buildStory([later, sent, next], [buildEntry('abandoned', 9), buildEntry('click', 11, 'sent')])
  expect(listTexts(story)).toEqual(['next', 'later', 'click', 'sent', 'abandoned'])
  expect(story.map(({ isPlanned }) => isPlanned)).toEqual([true, true, false, false, false])
})

it('sorts a held message by its next check', () => {
  const hold = { at: formatHour(10), outcome: 'hold' as const, reason: 'frequency_cap', explanation: '', inputs: {} }
  const held = message({
    id: 'held',
    state: 'held',
    dueAt: formatHour(10),
    decisions: [{ ...hold, until: formatHour(22) }],
  })
  const other = message({ id: 'other', step: 2, dueAt: formatHour(20) })
  expect(listTexts(buildStory([held, other], []))).toEqual(['other', 'held'])
  expect([findPlannedTime(held), findPlannedTime(other)]).toEqual([formatHour(22), formatHour(20)])
})

it('holds a message no longer than its expiry, and ignores a decision about an earlier time', () => {
  const hold = {
    at: formatHour(10),
    outcome: 'hold' as const,
    reason: 'frequency_cap',
    explanation: '',
    until: formatHour(22),
  }
  const held = message({ state: 'held', decisions: [{ ...hold, inputs: { due: formatHour(10) } }] })
  expect(findNextCheck(held)).toBe(formatHour(22))
  expect(findNextCheck({ ...held, expiresAt: formatHour(21) })).toBe(formatHour(21))
  expect(findNextCheck({ ...held, dueAt: formatHour(12) })).toBeNull()
  expect(findPlannedTime({ ...held, dueAt: formatHour(12) })).toBe(formatHour(12))
})

it('shows news of a planned message: another channel, or that it will not be sent', () => {
  const listForecast = (more: Partial<NonNullable<MessageView['forecast']>>, change: Partial<MessageView> = {}) =>
    describeForecast(
      message({
        channel: 'email',
        forecast: { channel: 'email', isExpected: true, explanation: 'By email: None.', ...more },
        ...change,
      }),
    )
  expect(listForecast({ channel: 'sms' })).toBe('Forecast: will be sent by SMS. By email: None.')
  expect(listForecast({ isExpected: false, explanation: 'No consent.' })).toBe(
    'Forecast: will not be sent. No consent.',
  )
  expect(listForecast({ explanation: '' })).toBeNull()
  // A held message shows its own reason.
  expect(listForecast({ isExpected: false }, { state: 'held' })).toBeNull()
  expect(describeForecast(message({ channel: 'email', forecast: null }))).toBeNull()
})

it('lists the history newest first, each message where it was sent or ended', () => {
  const sent = message({ id: 'sent', state: 'sent', sentAt: formatHour(10), finishedAt: formatHour(14) })
  const skipped = message({ id: 'skipped', state: 'skipped', finishedAt: formatHour(12) })
  const timeline = [buildEntry('active', 8), buildEntry('abandoned', 9), buildEntry('click', 11, 'sent')]
  expect(listTexts(buildStory([sent, skipped], timeline))).toEqual(['skipped', 'click', 'sent', 'abandoned', 'active'])
})

it('lists a message once: its steps below it, a late report at its own time', () => {
  const buildDecision = (outcome: 'send' | 'result', reason: string, hour: number) => ({
    at: formatHour(hour),
    outcome,
    reason,
    explanation: '',
    until: null,
    inputs: {},
  })
  const decisions = [
    buildDecision('send', 'ok', 10),
    buildDecision('result', 'accepted', 10),
    buildDecision('result', 'complaint', 15),
  ]
  const sent = message({ id: 'sent', state: 'sent', sentAt: formatHour(10), decisions })
  const timeline = [
    buildEntry('message_send', 10, 'sent'),
    { ...buildEntry('message_result', 10, 'sent'), title: 'accepted' },
    { ...buildEntry('message_result', 15, 'sent'), title: 'reported as spam' },
  ]
  expect(buildStory([sent], timeline).map((each) => ('entry' in each ? each.entry.title : each.message.id))).toEqual([
    'reported as spam',
    'sent',
  ])
})

it.each([
  [{ originKind: 'flow', originName: 'Abandoned cart reminders', step: 2, channel: 'email' }, 'Reminder 2 by email'],
  [{ originKind: 'flow', originName: 'Abandoned cart reminders', step: 3, channel: 'sms' }, 'Reminder 3 by SMS'],
  [{ originKind: 'campaign', originName: 'Autumn sale', step: 1, channel: 'email' }, 'Autumn sale'],
  [{ originKind: 'manual', originName: 'Manual', step: 1, channel: 'whatsapp' }, 'Manual WhatsApp'],
  [{ originKind: 'manual', originName: 'Discount mail', step: 1, channel: 'email' }, 'Discount mail'],
] as const)('names the message of %o %s', (of, name) => {
  expect(getMessageName({ ...of, removedStep: null })).toBe(name)
})

it('keeps the name of a removed step, because its position belongs to another', () => {
  const of = { originKind: 'flow', originName: 'Abandoned cart reminders', step: 2, channel: 'email' } as const
  expect(getMessageName({ ...of, removedStep: 'Second reminder' })).toBe('Second reminder (removed) by email')
})
