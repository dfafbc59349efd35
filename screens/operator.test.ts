import { describe, expect, test } from 'vitest'
import { logout } from '../shared/access/auth.ts'
import { readUsage } from '../shared/billing/billing.ts'
import {
  adjustCredits,
  createOperatorAccount,
  listOperatorAccounts,
  listOperatorActions,
  type OperatorAccount,
  type OperatorAction,
  operatorTexts,
  readOperatorAccount,
  readOperatorHealth,
  resolveOperatorProblem,
  resumeAccount,
  setOperatorPlan,
  suspendAccount,
  viewAccount,
} from '../shared/workspace/operator.ts'
import { readTeam } from '../shared/workspace/team.ts'
import { checkLooks, serveUser } from './account-scene.ts'
import { fixture } from './api.ts'
import { createScreens } from './app.ts'

const app = createScreens()
const { api } = app

const OLGA = 'olga@operators.example'
const AT = '2026-11-01T10:00:00.000Z'
const buildId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

const buildAccount = (changes: Partial<OperatorAccount> = {}): OperatorAccount => ({
  id: buildId(1),
  name: 'Ada',
  ownerEmail: 'ada@owners.example',
  isDemo: false,
  createdAt: AT,
  stores: 1,
  messages: 41_200,
  suspendedAt: null,
  plan: 'free',
  status: 'active',
  source: 'free',
  isUnlimited: false,
  ...changes,
})

const buildAction = (action: OperatorAction['action'], data: OperatorAction['data'], number = 1): OperatorAction => ({
  id: buildId(number),
  at: AT,
  operatorEmail: OLGA,
  accountId: buildId(1),
  accountName: 'Ada',
  action,
  data,
})

const problem = {
  id: buildId(9),
  accountId: buildId(1),
  accountName: 'Ada',
  kind: 'two_subscriptions' as const,
  detail: 'sub_1 and sub_2',
  raisedAt: AT,
}
const buildPagination = (total: number, limit = 25) => ({ page: 1, limit, total, pages: Math.ceil(total / limit) })

/** A stateful account that keeps the operator's changes. */
function serveAccount() {
  let account = {
    ...buildAccount(),
    suspendedReason: null as string | null,
    suspendedBy: null as string | null,
    creditMicros: 0,
    members: [{ name: 'Ada', email: 'ada@owners.example', role: 'owner', isConfirmed: false }],
  }
  const change = (changes: Partial<typeof account>) => {
    account = { ...account, ...changes }
    return { success: true as const }
  }
  api.answer(readOperatorAccount, () => ({
    account,
    usage: fixture(readUsage),
    problems: [],
    actions: [],
    stores: [
      {
        id: buildId(3),
        name: 'Maple & Clay',
        url: 'https://shop.example',
        platform: 'woocommerce',
        isActive: true,
        isPaused: false,
        stopped: [],
      },
    ],
    waiting: [{ reason: null, count: 12, oldestAt: AT }],
  }))
  api.answer(setOperatorPlan, ({ body }) =>
    change({ plan: body.planKey, isUnlimited: body.isUnlimited, source: 'operator' }),
  )
  api.answer(adjustCredits, ({ body }) => change({ creditMicros: account.creditMicros + body.cents * 10_000 }))
  api.answer(suspendAccount, ({ body }) => change({ suspendedAt: AT, suspendedReason: body.reason, suspendedBy: OLGA }))
  api.answer(resumeAccount, () => change({ suspendedAt: null, suspendedReason: null, suspendedBy: null }))
}

test('the operator screens are 404 pages for visitors and owners', async () => {
  serveUser(api)
  for (const as of ['visitor', 'owner'] as const) {
    for (const path of ['/operator', `/operator/${buildId(1)}`]) {
      await app.open(path, { as })
      await app.page.getByText('Page not found').waitFor()
    }
  }
  expect(api.calls(listOperatorAccounts)).toEqual([])
})

test.each([
  ['factor_missing', 'Set up two-factor sign-in first', 'Set it up', '/settings/account'],
  ['code_missing', 'Sign in with a code', 'Sign out', '/logout'],
] as const)('an operator sees the required step when the second factor is %s', async (operator, title, link, href) => {
  serveUser(api, { operator })
  const page = await app.open('/operator')
  await page.getByText(title).waitFor()
  await expect.poll(() => page.getByRole('main').getByRole('link', { name: link }).getAttribute('href')).toBe(href)
  expect(api.calls(listOperatorAccounts)).toEqual([])
})

test('an account is created for an owner, whose link can be passed on', async () => {
  serveUser(api, { operator: 'ready' })
  api.answer(listOperatorAccounts, { accounts: [buildAccount()], pagination: buildPagination(1) })
  api.fail(createOperatorAccount, 400, { fields: { email: 'Please enter a valid email address.' } })
  const page = await app.open('/operator')
  await page.getByRole('button', { name: 'Create account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Owner’s email').fill('eve')
  await dialog.getByLabel('Owner’s name').fill('Eve')
  await dialog.getByLabel('Plan').selectOption('Growth')
  await dialog.getByLabel('No limits').check()
  await dialog.getByRole('button', { name: 'Create account' }).click()
  await dialog.getByText('Please enter a valid email address.').waitFor()
  const invitationUrl = 'https://recoup.example/reset-password?token=abc'
  api.answer(createOperatorAccount, { accountId: buildId(5), isNew: true, invitationUrl, isMailed: false })
  await dialog.getByLabel('Owner’s email').fill('eve@owners.example')
  await dialog.getByRole('button', { name: 'Create account' }).click()
  await dialog.getByText('No email was sent. Pass this link on to eve@owners.example.').waitFor()
  await expect.poll(() => dialog.getByLabel('Invitation link').inputValue()).toBe(invitationUrl)
  expect(api.calls(createOperatorAccount).at(-1)?.body).toMatchObject({
    email: 'eve@owners.example',
    name: 'Eve',
    planKey: 'growth',
    isUnlimited: true,
  })
  expect(await app.findViolations()).toEqual([])
})

test('accounts are listed, searched, filtered and opened', async () => {
  serveUser(api, { operator: 'ready' })
  serveAccount()
  const all = [buildAccount({ id: buildId(2), name: 'Olga', ownerEmail: OLGA, suspendedAt: AT }), buildAccount()]
  api.answer(listOperatorAccounts, ({ query: { search, show } }) => {
    const accounts = all.filter(
      ({ ownerEmail, suspendedAt }) =>
        ownerEmail!.includes(search.toLowerCase()) && (show === 'all' || suspendedAt !== null),
    )
    return { accounts, pagination: buildPagination(accounts.length) }
  })
  const page = await app.open('/settings/account')
  await page.getByRole('button', { name: /^Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Operator' }).click()
  await page.getByRole('link', { name: 'Olga' }).waitFor()
  await page.getByRole('link', { name: 'Ada' }).waitFor()
  await page.getByRole('row', { name: /Olga.*Suspended/ }).waitFor()
  const search = page.getByRole('searchbox')
  await search.fill('ADA@owners')
  await search.press('Enter')
  await page.getByRole('link', { name: 'Olga' }).waitFor({ state: 'detached' })
  await search.fill('nobody at all')
  await search.press('Enter')
  await page.getByText('No account matches.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('link', { name: 'Ada' }).waitFor()
  await page.getByText('Suspended', { exact: true }).first().click()
  await page.getByRole('link', { name: 'Ada' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Clear filters' }).waitFor({ state: 'detached' })
  await page.getByRole('radiogroup').getByText('All', { exact: true }).click()
  await page.getByRole('link', { name: 'Ada' }).click()
  await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor()
})

describe('on the screen of an account', () => {
  const findDialog = () => app.page.getByRole('dialog')

  async function openAccount() {
    serveUser(api, { operator: 'ready' })
    serveAccount()
    return app.open(`/operator/${buildId(1)}`)
  }

  test('a plan is set, and credits are changed with a reason', async () => {
    const page = await openAccount()
    await page.getByRole('button', { name: 'Set plan' }).click()
    await findDialog().getByLabel('Plan', { exact: true }).selectOption('growth')
    await findDialog().getByLabel('No limits').check()
    await findDialog().getByLabel('Note').fill('A friend')
    await checkLooks(app, '[role=dialog]')
    await findDialog().getByRole('button', { name: 'Set plan' }).click()
    await findDialog().waitFor({ state: 'detached' })
    await page.getByText('Growth, no limits', { exact: true }).waitFor()
    await page.getByText('set by an operator').waitFor()
    const enterCredits = async (dollars: string) => {
      await page.getByRole('button', { name: 'Change credits' }).click()
      await findDialog()
        .getByLabel(/^Dollars/)
        .fill(dollars)
      await findDialog()
        .getByLabel(/^Reason/)
        .fill('An SMS went out twice')
      await findDialog().getByRole('button', { name: 'Change credits' }).click()
    }
    await enterCredits('12.50')
    await findDialog().waitFor({ state: 'detached' })
    await page.getByText('$12.50', { exact: true }).waitFor()
    api.fail(adjustCredits, 400, { error: operatorTexts.creditsMissing })
    await enterCredits('-13')
    await findDialog().getByRole('alert').getByText(operatorTexts.creditsMissing).waitFor()
    await checkLooks(app, '[role=dialog]')
    await expect
      .poll(() => api.calls(setOperatorPlan)[0]!.body)
      .toEqual({ planKey: 'growth', isUnlimited: true, note: 'A friend' })
    const reason = 'An SMS went out twice'
    await expect
      .poll(() => api.calls(adjustCredits).map(({ body }) => body))
      .toEqual([
        { cents: 1_250, reason },
        { cents: -1_300, reason },
      ])
  })

  test('sending is suspended with a reason by keyboard alone, and resumed', async () => {
    const page = await openAccount()
    await page.getByRole('button', { name: 'Suspend sending' }).press('Enter')
    const confirm = findDialog().getByRole('button', { name: 'Suspend sending' })
    await expect.poll(() => confirm.isDisabled()).toBe(true)
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
    await page.keyboard.type('Bought addresses.')
    await checkLooks(app, '[role=dialog]')
    await confirm.press('Enter')
    await findDialog().waitFor({ state: 'detached' })
    await page.getByText('Bought addresses.').first().waitFor()
    await page.getByRole('button', { name: 'Resume sending' }).click()
    await findDialog().getByRole('button', { name: 'Resume sending' }).click()
    await page.getByRole('button', { name: 'Suspend sending' }).waitFor()
    await expect
      .poll(() => api.calls(suspendAccount).map(({ body }) => body))
      .toEqual([{ reason: 'Bought addresses.' }])
    await expect.poll(() => api.calls(resumeAccount)).toHaveLength(1)
  })

  test('an operator opens the account as a viewer in this tab, and closes it', async () => {
    const page = await openAccount()
    const viewedUntil = '2026-11-28T23:10:00.000Z'
    api.answer(viewAccount, () => {
      serveUser(api, { role: 'viewer', accountName: 'Ada', operator: null, viewedUntil })
      return { token: 'the-token-of-the-view', until: viewedUntil }
    })
    api.answer(logout, () => {
      serveUser(api, { operator: 'ready' })
      return { success: true as const }
    })
    api.answer(listOperatorAccounts, { accounts: [buildAccount()], pagination: buildPagination(1) })
    await page.getByRole('button', { name: 'View read-only' }).click()
    await page.waitForURL('**/dashboard')
    await page.getByText('You are looking at Ada as an operator.').waitFor()
    await page.goto(`${app.url}/settings/account`)
    await page.getByText('You are looking at Ada as an operator.').waitFor()
    await expect.poll(() => page.getByRole('heading', { name: 'Profile' }).count()).toBe(0)
    await expect.poll(() => api.calls(readTeam).at(-1)!.sent.headers.authorization).toBe('Bearer the-token-of-the-view')
    await page.getByRole('button', { name: 'Leave view' }).click()
    await page.waitForURL('**/operator')
    await page.getByRole('link', { name: 'Ada' }).waitFor()
    await expect.poll(() => api.calls(logout)[0]!.sent.headers.authorization).toBe('Bearer the-token-of-the-view')
    await expect.poll(() => api.calls(listOperatorAccounts).at(-1)!.sent.headers.authorization).toBe('Bearer a-token')
  })
})

test('the health of the installation lists checks, queues and problems, and a problem is closed', async () => {
  serveUser(api, { operator: 'ready' })
  const queue = { ready: 0, active: 0, later: 0, failed: 0 }
  let problems = [problem]
  api.answer(listOperatorAccounts, { accounts: [], pagination: buildPagination(0) })
  api.answer(readOperatorHealth, () => ({
    checks: [
      { name: 'database', state: 'ok' },
      { name: 'worker', state: 'no worker has reported for 30 seconds' },
    ],
    queues: [
      { ...queue, name: 'messages.send', ready: 1_200 },
      { ...queue, name: 'mails' },
      { ...queue, name: 'sync' },
    ],
    late: { stores: 2, since: AT },
    alarms: [],
    problems,
  }))
  api.answer(resolveOperatorProblem, () => {
    problems = []
    return { success: true as const }
  })
  const page = await app.open('/operator')
  await page.getByRole('tab', { name: 'Health' }).click()
  await page.getByRole('heading', { name: 'Queues' }).waitFor()
  await page.getByText(/2 queues are empty/).waitFor()
  await page.getByText('no worker has reported for 30 seconds').waitFor()
  await page.getByRole('row', { name: /messages\.send.*1,200/ }).waitFor()
  await page.getByText('Two live subscriptions at Stripe').waitFor()
  await page.getByRole('button', { name: 'Close problem' }).click()
  await page.getByRole('dialog').getByLabel('Note').fill('Paid back')
  await page.getByRole('dialog').getByRole('button', { name: 'Close problem' }).click()
  await page.getByText('None.', { exact: true }).waitFor()
  await expect
    .poll(() => api.calls(resolveOperatorProblem)[0])
    .toMatchObject({
      params: { problemId: buildId(9) },
      body: { note: 'Paid back' },
    })
})

test('every operator action is listed with its account and its reason', async () => {
  serveUser(api, { operator: 'ready' })
  const actions = [
    buildAction('view', {}, 1),
    buildAction('resume', {}, 2),
    buildAction('suspend', { reason: 'Bought addresses.' }, 3),
    buildAction('set_plan', { plan: 'growth', isUnlimited: true, note: null }, 4),
    buildAction('adjust_credits', { dollars: '12.50', reason: 'An SMS went out twice' }, 5),
    buildAction('resolve_problem', { kind: 'two_subscriptions', note: null }, 6),
  ]
  api.answer(listOperatorActions, { actions, pagination: buildPagination(6, 50) })
  const page = await app.open('/operator?tab=actions')
  const texts = [
    'Viewed the account',
    'Resumed sending',
    'Suspended sending',
    'Set the plan to Growth, no limits',
    'Changed credits by $12.50',
    'Closed: Two live subscriptions at Stripe',
    'Bought addresses.',
  ]
  for (const text of texts) await page.getByText(text).first().waitFor()
})
