import { aCoupon } from '../coupons/api.ts'
import {
  alters,
  answers,
  asks,
  couponsAre,
  fills,
  hangs,
  isTitled,
  isViewer,
  offers,
  presses,
  refuses,
  type State,
  says,
  waits,
} from './steps.ts'

// The list of flows, and the page of one with a part of it open.

type Step = NonNullable<State['given']>[number]

const opensStep = presses(/^(Edit|Show) message 2,/)
const opensEntry = presses('Edit which carts this flow takes')
const createsOne = presses('Create a flow')

interface Flow {
  steps: Record<string, unknown>[]
}

const flowsAre = (change: (flow: Flow) => object[], more: object = {}): Step =>
  alters('flows', (said) => ({ ...said, ...more, flows: change((said.flows as Flow[])[0]!) }))

const withoutRules = alters('flows', (said) => ({ ...said, isRulesInPlan: false }))

const CONDITIONS = {
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

/** Two flows, the first with conditions and a second message that is split and has fallbacks. */
const two = flowsAre((flow) => {
  const steps = flow.steps.map((step, index) => {
    const [first] = step.variants as { id: string }[]
    const other = { ...first, id: `${first!.id.slice(0, -1)}${first!.id.endsWith('f') ? 'e' : 'f'}`, name: 'B' }
    const variants = [first, other].map((variant) => ({ ...variant, sharePercent: 50 }))
    return index === 1 ? { ...step, variants, channels: ['email', 'sms', 'push'], conditions: CONDITIONS } : step
  })
  const second = { ...flow, id: '00000000-0000-4000-8000-000000000002', name: 'All other carts', position: 2 }
  return [{ ...flow, steps, conditions: CONDITIONS }, second]
})

const copied = flowsAre((flow) => [
  { ...flow, conditions: CONDITIONS, isOn: true },
  {
    ...{ ...flow, id: '00000000-0000-4000-8000-000000000002', name: 'Copy', position: 2 },
    ...{ conditions: CONDITIONS, isOn: false },
  },
])

const IS_OVER = { endDate: new Date(Date.now() - 60_000).toISOString() }
/** The server is asked for those that can be used, and where there are none for all. */
const noneIsUsable: State['given'] = [
  couponsAre([aCoupon(IS_OVER)]),
  answers('coupons?*usable=yes', {
    ...{ coupons: [], pagination: { page: 1, limit: 100, total: 0, pages: 0 }, readAt: null, problem: null },
    ...{ currency: 'USD', timeZone: 'Europe/Berlin', canWrite: true },
  }),
]

const ofTheCouponOfAFlow: State[] = [
  {
    name: 'flow, its coupons on their way',
    of: 'owner',
    path: '/flows/:flowId',
    isLoading: true,
    given: [hangs('coupons?')],
    steps: [isTitled, opensStep, waits],
  },
  {
    name: 'flow, its coupons not to be had',
    of: 'owner',
    path: '/flows/:flowId',
    given: [refuses('coupons?')],
    steps: [opensStep, says('The coupons could not be loaded')],
  },
  {
    name: 'flow of a store without coupons',
    of: 'owner',
    path: '/flows/:flowId',
    given: [couponsAre([])],
    steps: [opensStep, says('No coupons yet.')],
  },
  {
    name: 'flow of a store without a usable coupon',
    of: 'owner',
    path: '/flows/:flowId',
    given: noneIsUsable,
    steps: [opensStep, says('None of your coupons can be used now.')],
  },
]

const ofTheList: State[] = [
  { name: 'flows not to be had', of: 'owner', path: '/flows', given: [refuses('flows')], steps: [offers('Retry')] },
  { name: 'flows on their way', of: 'owner', path: '/flows', isLoading: true, given: [hangs('flows')], steps: [waits] },
  {
    name: 'no flows',
    of: 'owner',
    path: '/flows',
    given: [flowsAre(() => [])],
    steps: [says('There is no flow yet')],
  },
  { name: 'flows in an order', of: 'owner', path: '/flows', given: [two], steps: [says('All other carts')] },
  {
    name: 'flows, one with the conditions of another above it',
    of: 'owner',
    path: '/flows',
    given: [copied],
    steps: [says('stands above it and has the same conditions, so this flow would get none')],
  },
  {
    name: 'flows to a viewer',
    of: 'owner',
    path: '/flows',
    given: [two, isViewer],
    steps: [says('All other carts')],
  },
  { name: 'the library of flows', of: 'owner', path: '/flows', steps: [createsOne, asks, says('Win back')] },
  {
    name: 'the library of flows without the plan for it',
    of: 'owner',
    path: '/flows',
    given: [withoutRules],
    steps: [createsOne, asks, says('are part of the Starter plan')],
  },
  {
    name: 'flow being deleted',
    of: 'owner',
    path: '/flows',
    steps: [presses(/^More for /), (page) => page.getByRole('menuitem', { name: 'Delete' }).click(), asks],
  },
]

const ofOne: State[] = [
  { name: 'flow to a viewer', of: 'owner', path: '/flows/:flowId', given: [isViewer], steps: [isTitled] },
  {
    name: 'flow with a message open to a viewer',
    of: 'owner',
    path: '/flows/:flowId',
    given: [two, isViewer],
    steps: [opensStep, says('Who gets it')],
  },
  { name: 'flow being switched off', of: 'owner', path: '/flows/:flowId', steps: [presses(/^Switch off/), asks] },
  {
    name: 'flow with unsaved changes',
    of: 'owner',
    path: '/flows/:flowId',
    given: [
      answers('flows/*/effect', {
        effect: { moved: 14, dueNow: 2, overtaken: 0, cancelled: 3, added: 0, tooLate: 0, changed: 0 },
      }),
    ],
    steps: [opensStep, fills('Subject', 'Still thinking about it?'), says('14 messages move, 3 are cancelled')],
  },
  {
    name: 'flow with a split message open',
    of: 'owner',
    path: '/flows/:flowId',
    given: [two],
    steps: [opensStep, says('Share of variant A'), says('A and B have the same text')],
  },
  {
    name: 'flow with its entry open',
    of: 'owner',
    path: '/flows/:flowId',
    given: [two],
    steps: [opensEntry, says('Add a group')],
  },
  {
    name: 'flow without the plan for its conditions',
    of: 'owner',
    path: '/flows/:flowId',
    given: [two, withoutRules],
    steps: [opensEntry, says('are part of the Starter plan')],
  },
]

export const ofFlows: State[] = [...ofTheList, ...ofOne, ...ofTheCouponOfAFlow]
