import { expect, it } from 'vitest'
import type { MessageView, TimelineEntry } from '../../shared/carts.ts'
import { storyOf } from './story.ts'

const message = (change: Partial<MessageView>) =>
  ({
    id: 'm1',
    step: 1,
    state: 'scheduled',
    dueAt: at(10),
    handedOverAt: null,
    finishedAt: null,
    decisions: [],
    ...change,
  }) as MessageView

const at = (hour: number) => `2026-07-01T${String(hour).padStart(2, '0')}:00:00.000Z`

const entry = (kind: string, hour: number, messageId: string | null = null): TimelineEntry => ({
  at: at(hour),
  kind,
  title: kind,
  text: '',
  messageId,
})

const told = (story: ReturnType<typeof storyOf>) =>
  story.past.map((each) => ('entry' in each ? each.entry.kind : each.message.id))

it('puts the next message first among those to come', () => {
  const later = message({ id: 'later', step: 3, dueAt: at(20) })
  const next = message({ id: 'next', step: 2, state: 'held', dueAt: at(12) })
  const sent = message({ id: 'sent', state: 'sent', handedOverAt: at(10) })
  expect(storyOf([later, sent, next], []).coming.map(({ id }) => id)).toEqual(['next', 'later'])
})

it('tells what happened newest first, a message where it left or ended', () => {
  const sent = message({ id: 'sent', state: 'sent', handedOverAt: at(10), finishedAt: at(14) })
  const skipped = message({ id: 'skipped', state: 'skipped', finishedAt: at(12) })
  const timeline = [entry('active', 8), entry('abandoned', 9), entry('click', 11, 'sent')]
  expect(told(storyOf([sent, skipped], timeline))).toEqual(['skipped', 'click', 'sent', 'abandoned', 'active'])
})

it('tells a message once: its steps stand under it, a late report at its own time', () => {
  const decision = (outcome: 'send' | 'result', reason: string, hour: number) => ({
    ...{ at: at(hour), outcome, reason, explanation: '', until: null, inputs: {} },
  })
  const decisions = [
    decision('send', 'ok', 10),
    decision('result', 'accepted', 10),
    decision('result', 'complaint', 15),
  ]
  const sent = message({ id: 'sent', state: 'sent', handedOverAt: at(10), decisions })
  const timeline = [
    entry('message_send', 10, 'sent'),
    { ...entry('message_result', 10, 'sent'), title: 'accepted' },
    { ...entry('message_result', 15, 'sent'), title: 'reported as spam' },
  ]
  const { past } = storyOf([sent], timeline)
  expect(past.map((each) => ('entry' in each ? each.entry.title : each.message.id))).toEqual([
    'reported as spam',
    'sent',
  ])
})
