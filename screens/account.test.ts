import { expect, test } from 'vitest'
import { authTexts, login, me, register } from '../shared/access/auth.ts'
import {
  changeEmail,
  confirmEmail,
  deleteAccount,
  endSession,
  endSessions,
  listSessions,
  prepareExport,
  resendVerification,
  undoEmail,
  verifyEmail,
} from '../shared/workspace/account.ts'
import { inviteMember } from '../shared/workspace/team.ts'
import { buildSession, buildUser, checkLooks, OLIVE, PASSWORD, serveNoPlan, serveUser } from './account-scene.ts'
import { createScreens, PHONE, token } from './app.ts'
import { blockLiveConnection } from './page-checks.ts'

const app = createScreens()
const { api } = app

/** The button of a form; its accessible name may include a countdown. */
const findButton = (name: string | RegExp) => app.page.getByRole('button', { name, exact: true })

test('the sign-in form counts down after too many attempts, but not for another address', {
  tags: ['A8'],
}, async () => {
  const page = await app.open('/login', { as: 'visitor' })
  await page.getByLabel('Email').fill('nobody@owners.example')
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  api.fail(login, 401, { error: authTexts.loginFailed, code: 'unauthenticated' })
  await findButton('Sign in').click()
  await page.getByText('Login failed. Please check your credentials.').waitFor()
  const error = 'Too many attempts. Please try again in 15 minutes.'
  api.fail(login, 429, { error, retryAfterS: 900 })
  await findButton('Sign in').click()
  await page.getByText(error).waitFor()
  const wait = findButton(/Try again in \d+:\d\d/)
  await wait.waitFor()
  await expect.poll(() => wait.isDisabled()).toBe(true)
  await page.getByLabel('Email').fill(OLIVE)
  await expect.poll(() => findButton('Sign in').isEnabled()).toBe(true)
})

test('the sign-in form keeps the address between modes, rates a new password, and forgets the previous user', {
  tags: ['A2.5', 'A4.2'],
}, async () => {
  const page = await app.open('/login', { as: 'visitor' })
  await page.getByLabel('Email').fill(OLIVE)
  await findButton('Forgot password?').click()
  await expect.poll(() => page.getByLabel('Email').inputValue()).toBe(OLIVE)
  await expect.poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement).name)).toBe('email')
  await findButton('Back to sign-in').click()
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Create your account' }).waitFor()
  await expect.poll(() => page.getByLabel('Email').inputValue()).toBe(OLIVE)
  await page.getByLabel('Password', { exact: true }).fill('12345')
  await page.getByText('Too short').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByText('Strong').waitFor()
  await page.getByLabel('Name').fill('Olive Owner')
  await page.getByLabel('Repeat password').fill(PASSWORD)
  await page.evaluate(() => localStorage.setItem('storeUrl', 'https://shop.example'))
  serveNoPlan(api)
  api.answer(register, {
    token,
    user: buildUser({ stores: [], hasActiveSubscription: false, subscriptionStatus: null }),
  })
  await findButton('Create account').click()
  await page.waitForURL('**/pricing')
  await expect
    .poll(() => api.calls(register)[0]!.sent.body)
    .toEqual({ name: 'Olive Owner', email: OLIVE, password: PASSWORD })
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage).sort())).toEqual(['token', 'user'])
})

test('an expired session opens sign-in with an explanation', async () => {
  api.fail(me, 401, { error: 'Please sign in again.', code: 'session' })
  const page = await app.go('/settings')
  await page.waitForURL('**/login')
  await page.getByText('Your session has expired. Please sign in again.').waitFor()
})

test('an unconfirmed address is shown, its link can be resent, and an invitation shows its pending address', async () => {
  serveUser(api, { isEmailConfirmed: false })
  api.answer(resendVerification, { message: authTexts.verificationInMailbox })
  api.fail(inviteMember, 403, { error: authTexts.verifyFirst })
  const page = await app.open('/settings/account')
  await page.getByText('Confirm your email address.', { exact: true }).waitFor()
  await page.getByText('(not confirmed yet)').waitFor()
  await checkLooks(app)
  await page.getByLabel('Invite by email').fill('mia@team.example')
  await findButton('Send invitation').click()
  await page.getByText('Confirm your email address first').waitFor()
  await findButton('Send link again').click()
  await page.getByText(authTexts.verificationInMailbox).first().waitFor()
})

test('an address confirmed in another tab is recognized when the user returns', async () => {
  serveUser(api, { isEmailConfirmed: false })
  // A live connection would refetch everything.
  await blockLiveConnection(app.page)
  const page = await app.open('/settings/account')
  const banner = page.getByText('Confirm your email address.', { exact: true })
  await banner.waitFor()
  await app.waitUntilSettled()
  serveUser(api, { isEmailConfirmed: true })
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await banner.waitFor({ state: 'hidden' })
})

test.each([
  {
    path: '/verify-email',
    endpoint: verifyEmail,
    button: 'Confirm this address',
    done: 'Email address confirmed',
    invalid: authTexts.invalidVerification,
  },
  {
    path: '/confirm-email',
    endpoint: confirmEmail,
    button: 'Use this address',
    done: 'Email address changed',
    invalid: authTexts.invalidEmailLink,
  },
])('$path confirms when its button is pressed, and explains an invalid link', async (at) => {
  const page = await app.open(at.path, { as: 'visitor' })
  await page.getByText(at.invalid).waitFor()
  await app.open(`${at.path}?token=of-the-mail`, { as: 'visitor', viewport: PHONE })
  await checkLooks(app)
  expect(api.calls(at.endpoint)).toEqual([])
  api.fail(at.endpoint, 400, { error: at.invalid })
  await findButton(at.button).click()
  await page.getByText(at.invalid).waitFor()
  api.answer(at.endpoint, { message: 'It is done.' })
  await findButton(at.button).click()
  await page.getByText('It is done.').waitFor()
  await page.getByRole('heading', { level: 1, name: at.done }).waitFor()
  await expect.poll(() => page.title()).toBe(`${at.done} · Recoup`)
  await expect.poll(() => api.calls(at.endpoint).at(-1)!.body).toEqual({ token: 'of-the-mail' })
})

test('a change of address is undone with a new password typed twice', async () => {
  const message = `The change is undone. Sign in with ${OLIVE} and your new password.`
  api.answer(undoEmail, { message })
  const page = await app.open('/undo-email?token=of-the-mail', { as: 'visitor' })
  await checkLooks(app)
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Repeat new password').fill(`${PASSWORD}!`)
  await findButton('Undo the change').click()
  await page.getByText('Passwords do not match').waitFor()
  await page.getByLabel('Repeat new password').fill(PASSWORD)
  await findButton('Undo the change').click()
  await page.getByText(message).waitFor()
  await page.getByRole('heading', { level: 1, name: 'Email change undone' }).waitFor()
  await expect
    .poll(() => api.calls(undoEmail).map(({ body }) => body))
    .toEqual([{ token: 'of-the-mail', password: PASSWORD }])
  await expect.poll(() => page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/login')
})

test('a new address applies once its link is opened', async () => {
  serveUser(api)
  api.answer(changeEmail, () => {
    serveUser(api, { pendingEmail: 'olive@new.example' })
    return { message: authTexts.emailLinkInMailbox }
  })
  const page = await app.open('/settings/account')
  await findButton('Change email').click()
  await page.getByLabel('New email').fill('olive@new.example')
  await page.getByRole('dialog').getByLabel('Your password').fill(PASSWORD)
  await findButton('Send link').click()
  await page.getByText('The link for olive@new.example is in this server’s built-in mailbox.').waitFor()
  await expect.poll(() => api.calls(changeEmail)[0]!.body).toEqual({ email: 'olive@new.example', password: PASSWORD })
  await page.getByText(OLIVE).first().waitFor()
})

test('sessions are listed and signed out singly, or all others after a confirmation', async () => {
  serveUser(api)
  let sessions = [
    buildSession(1, { isCurrent: true }),
    buildSession(2),
    buildSession(3, { device: 'Safari on iPhone' }),
  ]
  api.answer(listSessions, () => ({ sessions }))
  api.answer(endSession, ({ params }) => {
    sessions = sessions.filter(({ id }) => id !== params.sessionId)
    return { success: true as const }
  })
  api.answer(endSessions, () => {
    sessions = sessions.filter(({ isCurrent }) => isCurrent)
    return { success: true as const, ended: 1 }
  })
  const page = await app.open('/settings/account')
  await page.getByText('This session').waitFor()
  await findButton('Sign out Chrome on Linux').click()
  await page.getByText('Chrome on Linux is signed out').first().waitFor()
  await findButton('Sign out Chrome on Linux').waitFor({ state: 'detached' })
  await expect.poll(() => findButton('Sign out Safari on iPhone').count()).toBe(1)
  await findButton('Sign out all others').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out all others' }).click()
  await page.getByText('1 other session signed out').waitFor()
  await findButton('Sign out Safari on iPhone').waitFor({ state: 'detached' })
  await expect.poll(() => api.calls(endSession).map(({ params }) => params.sessionId)).toEqual([buildSession(2).id])
  await expect.poll(() => api.calls(endSessions).map(({ body }) => body)).toEqual([{ scope: 'others' }])
})

test('the account is downloaded, and deleted after the confirmation and the password are entered', async () => {
  serveUser(api)
  const expiresAt = new Date(Date.now() + 120_000).toISOString()
  api.answer(prepareExport, { url: '/export-of-the-account', expiresAt })
  const page = await app.open('/settings/account')
  const [download] = await Promise.all([page.waitForEvent('download'), findButton('Download my data').click()])
  expect(new URL(download.url()).pathname).toBe('/export-of-the-account')
  await download.delete()
  await page.getByText('Your download has started.').waitFor()
  await findButton('Delete account').click()
  const dialog = page.getByRole('dialog')
  const final = dialog.getByRole('button', { name: 'Delete permanently' })
  await expect.poll(() => final.isDisabled()).toBe(true)
  await dialog.getByLabel(/^Type/).fill('delete')
  await dialog.getByLabel('Your password').fill('wrong')
  api.fail(deleteAccount, 400, { error: authTexts.wrongPassword, fields: { password: authTexts.wrongPassword } })
  await final.click()
  await dialog.getByText(authTexts.wrongPassword).waitFor()
  await dialog.getByLabel('Your password').fill(PASSWORD)
  api.answer(deleteAccount, { message: 'Your account is deleted.' })
  await final.click()
  await page.waitForURL(/login/)
  await page.getByText(authTexts.accountDeleted).waitFor()
  await expect.poll(() => page.getByText(authTexts.sessionExpired).count()).toBe(0)
  await expect.poll(() => api.calls(deleteAccount).at(-1)!.body).toEqual({ confirmation: 'delete', password: PASSWORD })
  await expect.poll(() => page.evaluate(() => localStorage.getItem('token'))).toBeNull()
})
