import { expect, it } from 'vitest'
import { buildStatus } from '../../../screens/billing-answers.ts'
import { findConcerns } from './concerns.ts'

const NOW = Date.parse('2026-12-01T12:00:00.000Z')
const formatInHours = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString()

it.each([
  ['nothing', {}, []],
  ['nothing of a trial with more than three days', { status: 'trialing', trialEndsAt: formatInHours(73) }, []],
  ['its last three days', { status: 'trialing', trialEndsAt: formatInHours(71) }, [['trial', 'info']]],
  ['without a card', { status: 'trialing', trialEndsAt: formatInHours(71), hasCard: false }, [['trial', 'warn']]],
  [
    'that was canceled',
    { status: 'trialing', trialEndsAt: formatInHours(1), cancelAtPeriodEnd: true },
    [['trial', 'info']],
  ],
  ['a trial that is over', { status: 'trialing', trialEndsAt: formatInHours(-1) }, []],
  ['an overdue payment', { status: 'past_due', graceUntil: formatInHours(1) }, [['overdue', 'warn']]],
  ['after its grace', { status: 'past_due', hasActiveSubscription: false }, [['overdue', 'bad']]],
  [
    'a suspension before all else',
    { status: 'past_due', suspension: { reason: 'x', since: formatInHours(-1) } },
    [
      ['suspended', 'bad'],
      ['overdue', 'warn'],
    ],
  ],
] as const)('shows a subscription problem on every screen: %s', (_, fields, concerns) => {
  expect(findConcerns(buildStatus(fields), NOW, false).map(({ kind, tone }) => [kind, tone])).toEqual(concerns)
})

it('shows on every screen that its store rests (decision 85)', () => {
  expect(findConcerns(buildStatus(), NOW, true)).toEqual([{ kind: 'resting', tone: 'warn' }])
})
