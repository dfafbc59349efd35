import { answers, asks, hangs, isUser, NOT_HERE, presses, refuses, type State, says } from './steps.ts'

// What operators see while it waits, has failed or is empty; the sign-in’s second step and the card that sets it up.

const isOperator = isUser(() => ({ isDemo: false, operator: 'ready' }))
const isLooking = isUser(() => ({ isDemo: false, role: 'viewer', viewedUntil: '2030-01-01T12:00:00Z' }))
const isOwn = isUser(() => ({ isDemo: false }))

const account = {
  ...{ id: NOT_HERE, name: 'Maple & Clay '.repeat(6).trim(), ownerEmail: `${'long.'.repeat(9)}name@owners.example` },
  ...{ isDemo: false, createdAt: '2026-01-05T10:00:00Z', stores: 3, messages: 41_200 },
  ...{ plan: 'growth', status: 'past_due', source: 'stripe', isUnlimited: false },
  suspendedAt: '2026-11-01T10:00:00Z',
}
const problem = {
  ...{ id: NOT_HERE, accountId: NOT_HERE, accountName: account.name, kind: 'two_subscriptions' },
  ...{ detail: `sub_${'1'.repeat(60)} and sub_${'2'.repeat(60)}`, raisedAt: '2026-11-01T10:00:00Z' },
}
const action = {
  ...{ id: NOT_HERE, at: '2026-11-01T10:00:00Z', operatorEmail: 'olga@operators.example', accountId: NOT_HERE },
  ...{ accountName: account.name, action: 'suspend', data: { reason: 'Addresses were bought. '.repeat(20) } },
}
const stopped = [{ stage: 'sync', cause: 'store_down', since: '2026-11-01T10:00:00Z' }]
const detail = {
  account: {
    ...{ ...account, suspendedReason: 'Addresses were bought.', suspendedBy: 'olga@operators.example' },
    members: [{ name: 'Ada', email: account.ownerEmail, role: 'owner', isConfirmed: false }],
  },
  usage: {
    ...{
      month: '2026-11-01',
      renewsAt: '2026-12-01T00:00:00Z',
      stores: { used: 3, limit: 3, problem: null, canAdd: false },
    },
    meters: [
      { channel: 'email', used: 4_900, limit: 5_000, held: 0, expiring: 0, level: 'near' },
      { channel: 'sms', used: 1_000, limit: 1_000, held: 40, expiring: 10, level: 'full' },
    ],
  },
  stores: [
    {
      id: 'a',
      name: 'Maple & Clay',
      url: 'https://shop.example',
      platform: 'woocommerce',
      isActive: true,
      isPaused: false,
    },
    { id: 'b', name: 'Outlet', url: 'https://outlet.example', platform: 'woocommerce', isActive: true, isPaused: true },
    { id: 'c', name: 'Old', url: 'https://old.example', platform: 'woocommerce', isActive: false, isPaused: false },
  ].map((store, index) => ({ ...store, stopped: index === 0 ? stopped : [] })),
  waiting: [
    { reason: 'plan_limit', count: 1_240, oldestAt: '2026-11-01T10:00:00Z' },
    { reason: null, count: 12, oldestAt: '2026-11-24T10:00:00Z' },
  ],
  ...{ problems: [problem], actions: [action] },
}
const health = {
  checks: [
    { name: 'database', state: 'ok' },
    { name: 'worker', state: 'no worker has reported for 30 seconds' },
  ],
  queues: [{ name: 'messages.send', ready: 1_200, active: 12, later: 3, failed: 1 }],
  late: { stores: 2, since: '2026-11-01T10:00:00Z' },
  alarms: [{ ...stopped[0], storeName: 'Maple & Clay', accountId: NOT_HERE, accountName: account.name }],
  problems: [problem],
}
const page = (total: number) => ({ page: 1, limit: 25, total, pages: Math.ceil(total / 25) })

export const ofOperators: State[] = [
  {
    ...{ name: 'accounts to an operator', of: 'owner', path: '/operator' },
    given: [isOperator, answers('operator/accounts', { accounts: [account], pagination: page(120) })],
    steps: [says('Suspended')],
  },
  {
    ...{ name: 'accounts on their way', of: 'owner', path: '/operator', isLoading: true },
    given: [isOperator, hangs('operator/accounts')],
    steps: [says('Accounts')],
  },
  {
    ...{ name: 'no account that matches', of: 'owner', path: '/operator?search=nobody' },
    given: [isOperator, answers('operator/accounts', { accounts: [], pagination: page(0) })],
    steps: [says('No account matches.')],
  },
  {
    ...{ name: 'accounts not to be had', of: 'owner', path: '/operator' },
    given: [isOperator, refuses('operator/accounts')],
    steps: [says('The accounts could not be loaded')],
  },
  {
    ...{ name: 'one account to an operator', of: 'owner', path: `/operator/${NOT_HERE}` },
    given: [isOperator, answers(`operator/accounts/${NOT_HERE}`, detail)],
    steps: [says('Two live subscriptions at Stripe')],
  },
  {
    ...{ name: 'a problem about to be closed', of: 'owner', path: `/operator/${NOT_HERE}` },
    given: [isOperator, answers(`operator/accounts/${NOT_HERE}`, detail)],
    steps: [presses('Close problem'), asks],
  },
  {
    ...{ name: 'one account not to be had', of: 'owner', path: `/operator/${NOT_HERE}` },
    given: [isOperator, refuses(`operator/accounts/${NOT_HERE}`)],
    steps: [says('The account could not be loaded')],
  },
  {
    ...{ name: 'an unwell installation', of: 'owner', path: '/operator?tab=health' },
    given: [isOperator, answers('operator/health', health)],
    steps: [says('no worker has reported for 30 seconds')],
  },
  {
    ...{ name: 'nothing done by operators', of: 'owner', path: '/operator?tab=actions' },
    given: [isOperator, answers('operator/actions', { actions: [], pagination: page(0) })],
    steps: [says('Nothing was done yet.')],
  },
  {
    ...{ name: 'an operator who must sign in again', of: 'owner', path: '/operator' },
    given: [isUser(() => ({ isDemo: false, operator: 'code_missing' }))],
    steps: [says('Sign in with a code')],
  },
  {
    ...{ name: 'an account looked at', of: 'owner', path: '/settings/account' },
    given: [isLooking],
    steps: [says('as an operator')],
  },
  {
    ...{ name: 'two-factor sign-in with few recovery codes', of: 'owner', path: '/settings/account' },
    given: [
      isOwn,
      answers('account/second-factor', { isOn: true, since: '2026-01-05T10:00:00Z', recoveryCodesLeft: 1 }),
    ],
    steps: [says('Few recovery codes are left.')],
  },
  {
    ...{ name: 'two-factor sign-in not to be had', of: 'owner', path: '/settings/account' },
    given: [isOwn, refuses('account/second-factor')],
    steps: [says('Two-factor sign-in could not be loaded')],
  },
]
