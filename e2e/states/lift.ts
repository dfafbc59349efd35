import type { ExperimentsReply, ExperimentView, Finding } from '../../shared/experiments.ts'
import { answers, asks, hangs, isViewer, offers, presses, refuses, type State, says, waits } from './steps.ts'

// The control group before it begins, on day 1, 30 and 180, and where something is wrong.

const few = (people: number | null, days: number | null = null): Finding => ({
  ...{ state: 'few', anytime: null, planned: null, missing: people === null ? null : { people, days } },
})
const found = (state: 'more' | 'less' | 'unseen', low: number, high: number, planned: Finding['planned'] = null) => ({
  ...{ state, anytime: { low, high }, planned, missing: null },
})

const day1: ExperimentView = {
  ...{ id: '01999999-0000-7000-8000-00000000000a', sharePercent: 50, windowDays: 8, currency: 'USD', capAmount: 490 },
  timeZone: 'Europe/Berlin',
  ...{ startedAt: '2026-03-02T09:00:00Z', plannedEndAt: '2026-05-31T09:00:00Z', drawsUntil: '2026-05-23T09:00:00Z' },
  ...{ endedAt: null, endReason: null, people: { treated: 0, control: 0 }, purchases: { treated: 0, control: 0 } },
  ...{ waiting: { treated: 5, control: 6 }, leftOut: 0, overridden: 0, drawnEarlier: 0, cost: null },
  ...{ attributedAmount: 0, health: 'few', conversion: few(null), revenue: few(null) },
}
const day30: ExperimentView = {
  ...day1,
  ...{ people: { treated: 112, control: 108 }, purchases: { treated: 9, control: 5 } },
  ...{ waiting: { treated: 41, control: 39 }, attributedAmount: 612.4, overridden: 1 },
  ...{ conversion: few(220, 22), revenue: few(3_100, 310) },
}
const day180: ExperimentView = {
  ...day30,
  ...{ endedAt: '2026-05-31T09:00:00Z', endReason: 'planned', people: { treated: 448, control: 452 } },
  ...{ purchases: { treated: 41, control: 24 }, waiting: { treated: 0, control: 0 }, attributedAmount: 2_480 },
  conversion: found('more', -8.2, 41.6, { low: 0.4, high: 33.1 }),
  revenue: few(null),
}
const large: ExperimentView = {
  ...day30,
  ...{ sharePercent: 10, people: { treated: 41_300, control: 4_610 }, purchases: { treated: 3_920, control: 361 } },
  ...{ conversion: found('more', 212, 1_160), revenue: found('more', 3_120.5, 58_904.12) },
  ...{ cost: { low: 348.3, high: 6_575.2 }, health: 'even', attributedAmount: 91_400, leftOut: 12, drawnEarlier: 310 },
}

const told = (change: Partial<ExperimentsReply>) =>
  answers('experiments', {
    pace: { people: 300, boughtPercent: 4, assumedPercent: 5, rate: 0.04 },
    ...{ proposedPercent: 50, running: null, past: [] },
    ...change,
  })

const PATH = '/flows/lift'

export const ofLift: State[] = [
  { name: 'lift on its way', of: 'owner', path: PATH, isLoading: true, given: [hangs('experiments')], steps: [waits] },
  { name: 'lift not to be had', of: 'owner', path: PATH, given: [refuses('experiments')], steps: [offers('Retry')] },
  {
    name: 'lift of a shop that nobody left a cart in',
    of: 'owner',
    path: PATH,
    given: [told({ pace: { people: 0, boughtPercent: null, assumedPercent: 5, rate: 0.05 } })],
    steps: [says('nothing could be measured yet')],
  },
  {
    name: 'lift with 300 people a month, before it begins',
    of: 'owner',
    path: PATH,
    given: [told({})],
    steps: [says('2.1 times as many purchases or more in 90 days')],
  },
  {
    name: 'lift being started',
    of: 'owner',
    path: PATH,
    given: [told({})],
    steps: [presses('Start a control group'), asks],
  },
  {
    name: 'lift on day 1',
    of: 'owner',
    path: PATH,
    given: [told({ running: day1 })],
    steps: [says('Nobody is counted yet')],
  },
  {
    name: 'lift on day 30',
    of: 'owner',
    path: PATH,
    given: [told({ running: day30 })],
    steps: [says('about 220 more people (≈ 22 days at your pace)')],
  },
  {
    name: 'lift on day 180',
    of: 'owner',
    path: PATH,
    given: [
      told({
        past: [
          day180,
          { ...day30, endedAt: '2026-01-10T09:00:00Z', endReason: 'stopped', startedAt: '2025-12-01T09:00:00Z' },
        ],
      }),
    ],
    steps: [says('Recoup brought in up to 34 purchases more')],
  },
  {
    name: 'lift of a large shop',
    of: 'owner',
    path: PATH,
    given: [told({ running: large })],
    steps: [says('between $3,120.50 and $58,904.12 more')],
  },
  {
    name: 'lift with people missing',
    of: 'owner',
    path: PATH,
    given: [told({ running: { ...large, health: 'off' } })],
    steps: [says('Do not rely on this result')],
  },
  {
    name: 'lift being stopped',
    of: 'owner',
    path: PATH,
    given: [told({ running: day30 })],
    steps: [presses('Stop'), asks],
  },
  {
    name: 'lift to a viewer',
    of: 'owner',
    path: PATH,
    given: [told({}), isViewer],
    steps: [says('Only the owner or an admin')],
  },
  {
    name: 'flows with a result of the control group',
    of: 'owner',
    path: '/flows',
    given: [told({ running: large })],
    steps: [says('between $3,120.50')],
  },
  {
    name: 'campaign beside a control group that runs',
    of: 'owner',
    path: '/campaigns?form=all',
    given: [told({ running: large })],
    steps: [asks, says('A control group is running for all flows and campaigns of this store: 10% of people')],
  },
  {
    name: 'dashboard with a result of the control group',
    of: 'owner',
    path: '/dashboard',
    given: [told({ running: { ...large, revenue: found('unseen', -2_000, 9_000) } })],
    steps: [says('No difference seen')],
  },
  {
    name: 'analytics with a result of the control group',
    of: 'owner',
    path: '/analytics',
    given: [told({ running: large })],
    steps: [says('between $3,120.50')],
  },
]
