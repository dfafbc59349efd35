import { describe, expect, test } from 'vitest'
import { me } from '../shared/access/auth.ts'
import { hasPermission, type roleNames } from '../shared/access/roles.ts'
import { listAbandonedCarts } from '../shared/carts/carts.ts'
import { readTextChannels } from '../shared/messages/text-channels.ts'
import {
  acceptInvitation,
  changeRole,
  inviteMember,
  leaveTeam,
  readInvitation,
  readTeam,
} from '../shared/workspace/team.ts'
import { buildUser, checkLooks, PASSWORD, serveNoPlan, serveUser } from './account-scene.ts'
import { contracts, fixture } from './api.ts'
import { createScreens, NOW, PHONE, token } from './app.ts'

const app = createScreens()
const { api } = app

const MIA = 'mia@team.example'
const MIA_ID = '00000000-0000-4000-8000-0000000000aa'

const buildMember = (changes: object) => ({ ...fixture(readTeam).members[0]!, isYou: false, ...changes })
const owner = buildMember({ name: 'Olive Owner', isYou: true })
const mia = (role: (typeof roleNames)[number]) => buildMember({ userId: MIA_ID, name: 'Mia Member', email: MIA, role })

test('an invitation is sent with its role and listed; a refused mail shows the server’s reply', async () => {
  serveUser(api)
  const invitation = {
    id: MIA_ID,
    email: MIA,
    role: 'viewer' as const,
    invitedBy: 'Olive Owner',
    state: 'sent' as const,
    mailProblem: null,
    sentAt: NOW.toISOString(),
    expiresAt: '2026-12-05T22:40:00.000Z',
  }
  const refused = { ...invitation, state: 'failed' as const, email: 'no@team.example', mailProblem: '550 No such user' }
  api.answer(inviteMember, () => {
    api.answer(readTeam, { members: [owner], invitations: [invitation, { ...refused, id: buildUser().id }] })
    return { success: true as const, message: `${MIA} is invited.` }
  })
  const page = await app.open('/settings/account')
  await page.getByLabel('Invite by email').fill(MIA)
  await page.getByLabel('Role', { exact: true }).selectOption('viewer')
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('Invited', { exact: true }).waitFor()
  await page.getByText('The mail server’s answer: 550 No such user').waitFor()
  await expect.poll(() => api.calls(inviteMember)[0]!.body).toEqual({ email: MIA, role: 'viewer' })
})

test('inviting and two-factor sign-in ask for a confirmed address first', async () => {
  serveUser(api, { isEmailConfirmed: false })
  const page = await app.open('/settings/account')
  await page.getByText('Confirm your email address to invite members.').waitFor()
  const setUp = page.getByText('Confirm your email address to set up two-factor sign-in.')
  await expect.poll(() => setUp.count()).toBe(0)
  await page.getByRole('button', { name: 'Set up' }).click()
  await setUp.waitFor()
})

test('an invitation link adds a new user, who learns who can choose a plan', { tags: ['A6'] }, async () => {
  const invited = { accountName: 'Olive Owner', invitedBy: 'Olive Owner', email: MIA, role: 'viewer' as const }
  api.answer(readInvitation, { ...invited, isKnown: false, isYou: false })
  const page = await app.open('/invite?token=of-the-mail', { as: 'visitor', viewport: PHONE })
  await page.getByRole('heading', { name: 'Join Olive Owner' }).waitFor()
  await checkLooks(app)
  await page.getByLabel('Your name').fill('Mia Member')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Repeat password').fill(PASSWORD)
  serveNoPlan(api)
  const user = serveUser(api, { name: 'Mia Member', email: MIA, role: 'viewer', stores: [] })
  api.answer(readTeam, { members: [{ ...owner, isYou: false, email: 'olive@owners.example' }], invitations: [] })
  api.answer(acceptInvitation, { token, user })
  await page.getByRole('button', { name: 'Join Olive Owner' }).click()
  await page.waitForURL('**/pricing')
  await page.getByText('only an owner or admin of it can choose one').waitFor()
  await page.getByRole('link', { name: 'olive@owners.example' }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: /^(Start with|Continue with|Choose) / }).count()).toBe(0)
  await expect
    .poll(() => api.calls(acceptInvitation)[0]!.body)
    .toEqual({ token: 'of-the-mail', name: 'Mia Member', password: PASSWORD })
})

test('the role menu changes a member’s role by keyboard and announces it', async () => {
  serveUser(api)
  let role: (typeof roleNames)[number] = 'viewer'
  api.answer(readTeam, () => ({ members: [owner, mia(role)], invitations: [] }))
  api.answer(changeRole, ({ body }) => {
    role = body.role
    return { success: true as const, message: `Mia Member is now ${role}.` }
  })
  const page = await app.open('/settings/account')
  for (const to of ['Admin', 'Viewer']) {
    await page.getByRole('button', { name: /^Role of Mia Member/ }).press('Enter')
    await page.getByRole('menu').waitFor()
    await app.waitUntilSettled()
    expect(await app.findViolations('[role=menu]')).toEqual([])
    await page.getByRole('menuitem', { name: new RegExp(`^${to}`) }).press('Enter')
    await page.getByText(`Mia Member is now ${to.toLowerCase()}.`).waitFor()
  }
  await expect
    .poll(() => api.calls(changeRole).map(({ params, body }) => [params.userId, body.role]))
    .toEqual([
      [MIA_ID, 'admin'],
      [MIA_ID, 'viewer'],
    ])
  await expect.poll(() => page.getByRole('button', { name: /^Role of Olive/ }).count()).toBe(0)
})

describe('a viewer', () => {
  test('may leave the account, and neither invites nor deletes', async () => {
    serveUser(api, { role: 'viewer', name: 'Mia Member', email: MIA })
    api.answer(readTeam, {
      members: [
        { ...owner, isYou: false },
        { ...mia('viewer'), isYou: true },
      ],
      invitations: [],
    })
    api.answer(leaveTeam, { success: true as const, message: 'You have left Olive Owner.' })
    const page = await app.open('/settings/account')
    await page.getByText('You are a viewer of this account').waitFor()
    await expect.poll(() => page.getByLabel('Invite by email').count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Delete account' }).count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Download my data' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Leave Olive Owner' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click()
    await page.waitForURL(/landing|login/)
    await expect.poll(() => api.calls(leaveTeam)).toHaveLength(1)
  })

  const these = 'Only the owner or an admin of the account can change these.'
  test.each([
    ...['/dashboard', '/flows', '/coupons', '/settings', '/settings/account', '/settings/consent'].map((path) => [
      path,
    ]),
    ...['/settings/recovery-rules', '/settings/sending/sender', '/settings/sending/sms'].map((path) => [path, these]),
    ['/test-subscription', 'Only an owner or admin of this account can change its plan.'],
  ])(
    'sees %s, sends no request that would be refused, and learns who may change it',
    {
      tags: ['A6'],
    },
    async (path, text) => {
      serveUser(api, { role: 'viewer' })
      api.alter(readTextChannels, ({ sms, ...reply }) => ({ ...reply, sms: { ...sms, isFixed: false } }))
      const requests: string[] = []
      app.page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
      const page = await app.open(path!)
      if (text) await page.getByText(text).first().waitFor()
      await app.waitUntilSettled()
      for (const button of await page.getByRole('button', { name: 'Set this plan' }).all())
        await expect.poll(() => button.isDisabled()).toBe(true)
      expect(requests.length).toBeGreaterThan(3)
      expect(requests.filter((each) => refusedToViewers.some((pattern) => pattern.test(each)))).toEqual([])
    },
  )

  test('gets the send action for a cart only after a role change', { tags: ['A6'] }, async () => {
    const { carts } = fixture(listAbandonedCarts)
    const name = carts.find(({ customer_name }) => customer_name)!.customer_name!
    serveUser(api, { role: 'viewer' })
    const page = await app.open('/carts')
    const send = page.getByRole('button', { name: /^Send email to / })
    await page.getByRole('button', { name, exact: true }).first().waitFor()
    await expect.poll(() => send.count()).toBe(0)
    await page
      .getByRole('button', { name: `More for ${name}` })
      .first()
      .click()
    await expect.poll(() => page.getByRole('menuitem').allInnerTexts()).toEqual(['View details', 'Check SMS status'])
    await page.keyboard.press('Escape')
    // A live connection fetches the user each time it opens.
    await expect.poll(() => api.calls(me).length).toBeGreaterThan(1)
    serveUser(api, { role: 'member' })
    app.live.cut()
    await send.first().waitFor()
    api.fail(me, 401, { error: 'Please sign in again.', code: 'session' })
    app.live.cut()
    await page.waitForURL('**/login')
  })
})

const refusedToViewers = [...contracts.values()]
  .filter(({ permission }) => permission !== 'public' && !hasPermission('viewer', permission))
  .map(({ method, path }) => new RegExp(`^${method} ${path.replace(/:\w+/g, '[^/]+')}$`))
