import { type Coupon, listCoupons } from '../../shared/carts/coupons.ts'
import { type ExperimentView, type Finding, readExperiments } from '../../shared/carts/experiments.ts'
import { listFlows, trySaveFlow } from '../../shared/marketing/flows.ts'
import { type Api, fixture } from '../api.ts'
import { serveAudienceCount } from './campaigns.ts'
import {
  fillField,
  pressRole,
  SOME_ID,
  type State,
  signInAsViewer,
  waitForButton,
  waitForDialog,
  waitForHeading,
  waitForLoading,
  waitForText,
} from './state.ts'
import { serveCouponList } from './store.ts'

// Flows: the list, the editor, the coupon of a message, and the control group.

type Flow = ReturnType<typeof fixture<typeof listFlows>>['flows'][number]

const opensStep = pressRole(/^(Edit|Show) message 2,/)
const opensEntry = pressRole('Edit which carts enter this flow')
const creates = pressRole('Create a flow')

const serveFlowList = (api: Api, change: (flow: Flow) => Flow[], more: object = {}) =>
  api.alter(listFlows, (reply) => ({ ...reply, ...more, flows: change(reply.flows[0]!) }))

const conditions: Flow['conditions'] = {
  match: 'any',
  groups: [
    {
      match: 'all',
      conditions: [
        { fact: 'value', is: 'above', amount: 150 },
        { fact: 'country', is: 'one_of', countries: ['DE', 'AT', 'CH'] },
        { fact: 'day', is: 'one_of', days: [1, 2, 3] },
      ],
    },
    { match: 'all', conditions: [{ fact: 'hour', is: 'between', from: 9, until: 18 }] },
  ],
}

/** Two flows, the first with conditions and a second message with an A/B test and fallbacks. */
const two = (api: Api, more: object = {}) =>
  serveFlowList(
    api,
    (flow) => {
      const steps = flow.steps.map((step, index): Flow['steps'][number] => {
        if (index !== 1) return step
        const [first] = step.variants
        const variants = [first!, { ...first!, id: SOME_ID, name: 'B' }].map((variant) => ({
          ...variant,
          sharePercent: 50,
        }))
        return { ...step, variants, channels: ['email', 'sms', 'push'], conditions }
      })
      return [
        { ...flow, steps, conditions },
        { ...flow, id: SOME_ID, name: 'All other carts', position: 2 },
      ]
    },
    more,
  )

const list: State[] = [
  {
    name: 'flows after a failed load',
    path: '/flows',
    given: (api) => api.fail(listFlows, 400),
    steps: [waitForButton('Retry')],
  },
  {
    name: 'flows while loading',
    path: '/flows',
    isLoading: true,
    given: (api) => api.hold(listFlows),
    steps: [waitForLoading],
  },
  {
    name: 'flows of a store without any',
    path: '/flows',
    given: (api) => serveFlowList(api, () => []),
    steps: [waitForText('No flow yet')],
  },
  { name: 'flows in their order', path: '/flows', given: (api) => two(api), steps: [waitForText('All other carts')] },
  {
    name: 'flows with the same conditions',
    path: '/flows',
    given: (api) =>
      serveFlowList(api, (flow) => [
        { ...flow, conditions, isOn: true },
        { ...flow, conditions, isOn: false, id: SOME_ID, name: 'Copy', position: 2 },
      ]),
    steps: [waitForText('is above this flow and has the same conditions, so this flow would get no carts')],
  },
  {
    name: 'flows as a viewer',
    path: '/flows',
    given(api) {
      two(api)
      signInAsViewer(api)
    },
    steps: [waitForText('All other carts')],
  },
  { name: 'library of flows', path: '/flows', steps: [creates, waitForDialog, waitForText('Win back')] },
  {
    name: 'library of flows without the plan for it',
    path: '/flows',
    given: (api) => serveFlowList(api, (flow) => [flow], { isRulesInPlan: false }),
    steps: [creates, waitForDialog, waitForText('require the Starter plan')],
  },
  {
    name: 'flow before it is deleted',
    path: '/flows',
    steps: [pressRole(/^More for /), pressRole('Delete', 'menuitem'), waitForDialog],
  },
]

const buildEditor = (name: string, steps: State['steps'], given?: State['given']): State => ({
  name: `flow ${name}`,
  path: '/flows/:flowId',
  steps,
  ...(given ? { given } : {}),
})

const editors: State[] = [
  buildEditor('as a viewer', [waitForHeading], signInAsViewer),
  buildEditor('with a message open to a viewer', [opensStep, waitForText('Who gets it')], (api) => {
    two(api)
    signInAsViewer(api)
  }),
  buildEditor('before it is switched off', [pressRole(/^Switch off/), waitForDialog]),
  buildEditor(
    'with unsaved changes',
    [opensStep, fillField('Subject', 'Still thinking about it?'), waitForText('14 messages move, 3 are cancelled')],
    (api) =>
      api.answer(trySaveFlow, {
        effect: { moved: 14, dueNow: 2, overtaken: 0, cancelled: 3, added: 0, tooLate: 0, changed: 0 },
      }),
  ),
  buildEditor(
    'with a split message open',
    [opensStep, waitForText('Share of variant A'), waitForText('A and B have the same text')],
    (api) => two(api),
  ),
  buildEditor('with its entry open', [opensEntry, waitForText('Add a group')], (api) => two(api)),
  buildEditor('without the plan for its conditions', [opensEntry, waitForText('require the Starter plan')], (api) =>
    two(api, { isRulesInPlan: false }),
  ),
  {
    ...buildEditor('while its coupons load', [waitForHeading, opensStep, waitForLoading], (api) =>
      api.hold(listCoupons),
    ),
    isLoading: true,
  },
  buildEditor('after its coupons failed to load', [opensStep, waitForText('The coupons could not be loaded')], (api) =>
    api.fail(listCoupons, 400),
  ),
  buildEditor('of a store without coupons', [opensStep, waitForText('No coupons yet.')], (api) =>
    serveCouponList(api, []),
  ),
  buildEditor(
    'of a store without a usable coupon',
    [opensStep, waitForText('None of your coupons can be used now.')],
    (api) => {
      const [coupon] = fixture(listCoupons).coupons as [Coupon]
      serveCouponList(api, [{ ...coupon, endDate: '2026-11-01T10:00:00Z' }])
    },
  ),
]

const buildFewFinding = (people: number | null, days: number | null = null): Finding => ({
  state: 'few',
  anytime: null,
  planned: null,
  missing: people === null ? null : { people, days },
})
const buildFinding = (
  state: 'more' | 'less' | 'unseen',
  low: number,
  high: number,
  planned: Finding['planned'] = null,
): Finding => ({ state, anytime: { low, high }, planned, missing: null })

const day1: ExperimentView = {
  id: SOME_ID,
  sharePercent: 50,
  windowDays: 8,
  currency: 'USD',
  capAmount: 490,
  timeZone: 'Europe/Berlin',
  startedAt: '2026-03-02T09:00:00Z',
  plannedEndAt: '2026-05-31T09:00:00Z',
  drawsUntil: '2026-05-23T09:00:00Z',
  endedAt: null,
  endReason: null,
  people: { treated: 0, control: 0 },
  purchases: { treated: 0, control: 0 },
  waiting: { treated: 5, control: 6 },
  leftOut: 0,
  overridden: 0,
  drawnEarlier: 0,
  cost: null,
  attributedAmount: 0,
  health: 'few',
  conversion: buildFewFinding(null),
  revenue: buildFewFinding(null),
}
const day30: ExperimentView = {
  ...day1,
  people: { treated: 112, control: 108 },
  purchases: { treated: 9, control: 5 },
  waiting: { treated: 41, control: 39 },
  attributedAmount: 612.4,
  overridden: 1,
  conversion: buildFewFinding(220, 22),
  revenue: buildFewFinding(3_100, 310),
}
const day180: ExperimentView = {
  ...day30,
  endedAt: '2026-05-31T09:00:00Z',
  endReason: 'planned',
  people: { treated: 448, control: 452 },
  purchases: { treated: 41, control: 24 },
  waiting: { treated: 0, control: 0 },
  attributedAmount: 2_480,
  conversion: buildFinding('more', -8.2, 41.6, { low: 0.4, high: 33.1 }),
  revenue: buildFewFinding(null),
}
const stopped: ExperimentView = {
  ...day30,
  endedAt: '2026-01-10T09:00:00Z',
  endReason: 'stopped',
  startedAt: '2025-12-01T09:00:00Z',
}
const large: ExperimentView = {
  ...day30,
  sharePercent: 10,
  people: { treated: 41_300, control: 4_610 },
  purchases: { treated: 3_920, control: 361 },
  conversion: buildFinding('more', 212, 1_160),
  revenue: buildFinding('more', 3_120.5, 58_904.12),
  cost: { low: 348.3, high: 6_575.2 },
  health: 'even',
  attributedAmount: 91_400,
  leftOut: 12,
  drawnEarlier: 310,
}

type Experiments = ReturnType<typeof fixture<typeof readExperiments>>

const experiments = (api: Api, change: Partial<Experiments>) =>
  api.answer(readExperiments, {
    pace: { people: 300, boughtPercent: 4, assumedPercent: 5, rate: 0.04 },
    proposedPercent: 50,
    running: null,
    past: [],
    ...change,
  })
const lift = (name: string, change: Partial<Experiments>, steps: State['steps'], path = '/flows/lift'): State => ({
  name,
  path,
  steps,
  given: (api) => experiments(api, change),
})
const between = waitForText('$3,120.50 to')

const lifts: State[] = [
  {
    name: 'lift while loading',
    path: '/flows/lift',
    isLoading: true,
    given: (api) => api.hold(readExperiments),
    steps: [waitForLoading],
  },
  {
    name: 'lift after a failed load',
    path: '/flows/lift',
    given: (api) => api.fail(readExperiments, 400),
    steps: [waitForButton('Retry')],
  },
  lift(
    'lift of a store without abandoned carts',
    { pace: { people: 0, boughtPercent: null, assumedPercent: 5, rate: 0.05 } },
    [waitForText('there is nothing to measure yet')],
  ),
  lift('lift before it begins', {}, [waitForText('would only prove 2.1 times as many purchases or more')]),
  lift('lift before the control group is started', {}, [pressRole('Start a control group'), waitForDialog]),
  lift('lift on day 1', { running: day1 }, [waitForText('No shoppers are counted yet')]),
  lift('lift on day 30', { running: day30 }, [waitForText('about 220 more shoppers (≈ 22 days at your pace)')]),
  lift('lift on day 180', { past: [day180, stopped] }, [waitForText('Your messages caused up to 34 extra purchases')]),
  lift('lift of a large store', { running: large }, [waitForText('$3,120.50 to $58,904.12 of extra sales')]),
  lift('lift with people missing', { running: { ...large, health: 'off' } }, [
    waitForText('Do not rely on this result'),
  ]),
  lift('lift before it is stopped', { running: day30 }, [pressRole('Stop'), waitForDialog]),
  {
    name: 'lift as a viewer',
    path: '/flows/lift',
    given(api) {
      experiments(api, {})
      signInAsViewer(api)
    },
    steps: [waitForText('Only the owner or an admin')],
  },
  lift('flows with a result of the control group', { running: large }, [between], '/flows'),
  {
    name: 'campaign beside a running control group',
    path: '/campaigns?form=all',
    given(api) {
      experiments(api, { running: large })
      serveAudienceCount(api)
    },
    steps: [waitForDialog, waitForText('A control group is running: 10% of shoppers')],
  },
  lift(
    'dashboard with a result of the control group',
    { running: { ...large, revenue: buildFinding('unseen', -2_000, 9_000) } },
    [waitForText('No difference proven')],
    '/dashboard',
  ),
  lift('analytics with a result of the control group', { running: large }, [between], '/analytics#attribution'),
]

export const flowStates: State[] = [...list, ...editors, ...lifts]
