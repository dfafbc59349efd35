import { readSecondFactor } from '../../shared/access/second-factor.ts'
import {
  listOperatorAccounts,
  listOperatorActions,
  readOperatorAccount,
  readOperatorHealth,
} from '../../shared/workspace/operator.ts'
import type { Api } from '../api.ts'
import {
  buildPagination,
  pressRole,
  type State,
  signInAsOwner,
  signInAsUser,
  UNKNOWN_ID,
  waitForDialog,
  waitForText,
} from './state.ts'

// The operator's screens, and two-factor sign-in.

const at = '2026-11-01T10:00:00Z'
const account = {
  id: UNKNOWN_ID,
  name: 'Maple & Clay '.repeat(6).trim(),
  ownerEmail: `${'long.'.repeat(9)}name@owners.example`,
  isDemo: false,
  createdAt: '2026-01-05T10:00:00Z',
  stores: 3,
  messages: 41_200,
  suspendedAt: at,
  ...({ plan: 'growth', status: 'past_due', source: 'stripe', isUnlimited: false } as const),
}
const problem = {
  id: UNKNOWN_ID,
  accountId: UNKNOWN_ID,
  accountName: account.name,
  kind: 'two_subscriptions' as const,
  detail: `sub_${'1'.repeat(60)} and sub_${'2'.repeat(60)}`,
  raisedAt: at,
}
const action = {
  id: UNKNOWN_ID,
  at,
  operatorEmail: 'olga@operators.example',
  accountId: UNKNOWN_ID,
  accountName: account.name,
  action: 'suspend' as const,
  data: { reason: 'Addresses were bought. '.repeat(20) },
}
const alarm = { stage: 'sync', cause: 'store_down', since: at }
const store = (id: string, name: string, isActive: boolean, isPaused: boolean) => ({
  ...{ id, name, url: 'https://shop.example', platform: 'woocommerce', isActive, isPaused },
  stopped: isPaused ? [] : [alarm],
})

const answersAccount = (api: Api) =>
  api.answer(readOperatorAccount, {
    account: {
      ...account,
      suspendedReason: 'Addresses were bought.',
      suspendedBy: 'olga@operators.example',
      creditMicros: 0,
      members: [{ name: 'Ada', email: account.ownerEmail, role: 'owner', isConfirmed: false }],
    },
    usage: {
      month: '2026-11-01',
      renewsAt: '2026-12-01T00:00:00Z',
      stores: { used: 3, limit: 3, problem: null, canAdd: false },
      meters: [
        { channel: 'email', used: 4_900, limit: 5_000, held: 0, expiring: 0, level: 'near' },
        { channel: 'sms', used: 1_000, limit: 1_000, held: 40, expiring: 10, level: 'full' },
      ],
    },
    stores: [
      store('00000000-0000-4000-8000-00000000000a', 'Maple & Clay', true, false),
      store('00000000-0000-4000-8000-00000000000b', 'Outlet', true, true),
      store('00000000-0000-4000-8000-00000000000c', 'Old', false, true),
    ],
    waiting: [
      { reason: 'plan_limit', count: 1_240, oldestAt: at },
      { reason: null, count: 12, oldestAt: '2026-11-24T10:00:00Z' },
    ],
    problems: [problem],
    actions: [action],
  })

const operator = (name: string, path: string, steps: State['steps'], given?: State['given']): State => ({
  name,
  path,
  steps,
  given(api, page) {
    signInAsUser(api, () => ({ isDemo: false, operator: 'ready' }))
    return given?.(api, page)
  },
})
const onePath = `/operator/${UNKNOWN_ID}`

export const operatorStates: State[] = [
  operator('accounts as an operator', '/operator', [waitForText('Suspended')], (api) =>
    api.answer(listOperatorAccounts, { accounts: [account], pagination: buildPagination(120, 25) }),
  ),
  {
    ...operator('accounts while loading', '/operator', [waitForText('Accounts')], (api) =>
      api.hold(listOperatorAccounts),
    ),
    isLoading: true,
  },
  operator('accounts without a match', '/operator?search=nobody', [waitForText('No account matches.')], (api) =>
    api.answer(listOperatorAccounts, { accounts: [], pagination: buildPagination(0, 25) }),
  ),
  operator('accounts after a failed load', '/operator', [waitForText('The accounts could not be loaded')], (api) =>
    api.fail(listOperatorAccounts, 400),
  ),
  operator('account as an operator', onePath, [waitForText('Two live subscriptions at Stripe')], answersAccount),
  operator('problem before it is closed', onePath, [pressRole('Close problem'), waitForDialog], answersAccount),
  operator('account after a failed load', onePath, [waitForText('The account could not be loaded')], (api) =>
    api.fail(readOperatorAccount, 400),
  ),
  operator(
    'installation with alarms',
    '/operator?tab=health',
    [waitForText('no worker has reported for 30 seconds')],
    (api) =>
      api.answer(readOperatorHealth, {
        checks: [
          { name: 'database', state: 'ok' },
          { name: 'worker', state: 'no worker has reported for 30 seconds' },
        ],
        queues: [{ name: 'messages.send', ready: 1_200, active: 12, later: 3, failed: 1 }],
        late: { stores: 2, since: at },
        alarms: [{ ...alarm, storeName: 'Maple & Clay', accountId: UNKNOWN_ID, accountName: account.name }],
        problems: [problem],
      }),
  ),
  operator('operator actions without any', '/operator?tab=actions', [waitForText('No operator actions yet.')], (api) =>
    api.answer(listOperatorActions, { actions: [], pagination: buildPagination(0) }),
  ),
  {
    name: 'operator who must sign in with a code',
    path: '/operator',
    given: (api) => signInAsUser(api, () => ({ isDemo: false, operator: 'code_missing' })),
    steps: [waitForText('Sign in with a code')],
  },
  {
    name: 'account viewed by an operator',
    path: '/settings/account',
    given: (api) => signInAsUser(api, () => ({ isDemo: false, role: 'viewer', viewedUntil: '2030-01-01T12:00:00Z' })),
    steps: [waitForText('as an operator')],
  },
  {
    name: 'two-factor sign-in with few recovery codes',
    path: '/settings/account',
    given(api) {
      signInAsOwner(api)
      api.answer(readSecondFactor, { isOn: true, since: '2026-01-05T10:00:00Z', recoveryCodesLeft: 1 })
    },
    steps: [waitForText('Few recovery codes left.')],
  },
  {
    name: 'two-factor sign-in after a failed load',
    path: '/settings/account',
    given(api) {
      signInAsOwner(api)
      api.fail(readSecondFactor, 400)
    },
    steps: [waitForText('Two-factor sign-in could not be loaded')],
  },
]
