import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { authTexts, demoLogin, forgotPassword, login, me, register, resetPassword } from '../shared/access/auth.ts'
import { readInstance } from '../shared/workspace/instance.ts'
import { readStoredConnection, setAccess } from './access-scene.ts'
import { fixture } from './api.ts'
import { createScreens, token } from './app.ts'

// Sign-in, sign-up and forgotten passwords: validation, failures, and redirects.

const app = createScreens()
const EMAIL = 'ada@owners.example'
const button = (name: string | RegExp) => app.page.getByRole('button', { name, exact: true })
const fill = (label: string, text: string) => app.page.getByLabel(label, { exact: true }).fill(text)
const problems = () => app.page.locator('.mantine-InputWrapper-error, [role=alert]').allInnerTexts()
const waitForText = (text: string) => app.page.getByText(text, { exact: true }).waitFor()

async function signIn(): Promise<void> {
  await fill('Email', EMAIL)
  await fill('Password', 'secret')
  await button('Sign in').click()
}

test.each([
  ['the server’s own text', { error: 'Not today.' }, ['Not today.', 'Not today.', 'Not today.']],
  [
    'the text of the specification where the server breaks',
    { error: 'x', code: 'internal' as const },
    [authTexts.loginFailed, authTexts.forgotFailed, authTexts.registrationFailed],
  ],
])('each mode of the sign-in screen shows %s', { tags: ['A2.1', 'A8'] }, async (_, error, texts) => {
  const status = 'code' in error ? 500 : 422
  for (const endpoint of [login, forgotPassword, register]) app.api.fail(endpoint, status, error)
  await app.open('/login', { as: 'visitor' })
  await signIn()
  await expect.poll(problems).toEqual([texts[0]])
  await button('Forgot password?').click()
  await expect.poll(problems).toEqual([])
  await button('Send reset link').click()
  await expect.poll(problems).toEqual([texts[1]])
  await button('Back to sign-in').click()
  await app.page.getByRole('link', { name: 'Create an account' }).click()
  await fill('Name', 'Ada')
  await fill('Password', 'secret')
  await fill('Repeat password', 'secret2')
  await button('Create account').click()
  await waitForText(authTexts.passwordsDiffer)
  expect(app.api.calls(register)).toEqual([])
  await fill('Repeat password', 'secret')
  await button('Create account').click()
  await expect.poll(problems).toEqual([texts[2]])
  await expect.poll(() => app.page.getByText('If you already have an account').count()).toBe(0)
  await expect.poll(() => app.api.calls(register)[0]!.body).toEqual({ name: 'Ada', email: EMAIL, password: 'secret' })
})

test('sign-up shows each error once, at its field, and offers a known address the reset', {
  tags: ['A5', 'A8'],
}, async () => {
  await app.open('/register', { as: 'visitor' })
  await button('Create account').click()
  await expect.poll(problems).toEqual([authTexts.nameRequired, authTexts.emailRequired, authTexts.passwordRequired])
  await fill('Name', 'Kit')
  await fill('Email', 'keeper')
  for (const label of ['Password', 'Repeat password']) await fill(label, '12345')
  await button('Create account').click()
  await expect.poll(problems).toEqual([authTexts.passwordShort])
  for (const label of ['Password', 'Repeat password']) await fill(label, '123456')
  const fields = { email: authTexts.emailInvalid }
  app.api.fail(register, 400, { error: authTexts.emailInvalid, code: 'invalid', fields })
  await button('Create account').click()
  await expect.poll(problems).toEqual([authTexts.emailInvalid])
  await fill('Email', EMAIL)
  app.api.fail(register, 409, { error: authTexts.registrationFailed, code: 'conflict' })
  await button('Create account').click()
  await app.page.getByText(authTexts.registrationFailed).waitFor()
  await expect
    .poll(() => app.page.getByRole('link', { name: 'sign in', exact: true }).getAttribute('href'))
    .toBe('/login')
  await app.page.getByRole('link', { name: 'reset your password' }).click()
  await app.page.getByRole('heading', { name: 'Reset your password' }).waitFor()
  await expect.poll(() => app.page.getByLabel('Email').inputValue()).toBe(EMAIL)
})

test('a reset link is sent once per click, and throttling one address does not delay others', {
  tags: ['A2.5', 'A5'],
}, async () => {
  const throttled = 'Too many attempts. Please try again in 1 hour.'
  await app.open('/login?forgot', { as: 'visitor' })
  app.api.fail(forgotPassword, 400, {
    error: authTexts.emailInvalid,
    code: 'invalid',
    fields: { email: authTexts.emailInvalid },
  })
  await fill('Email', 'nonsense')
  await button('Send reset link').click()
  await expect.poll(problems).toEqual([authTexts.emailInvalid])
  app.api.answer(forgotPassword, { message: authTexts.resetInMailbox })
  await fill('Email', EMAIL)
  await button('Send reset link').click()
  await waitForText(authTexts.resetInMailbox)
  app.api.fail(forgotPassword, 429, { error: throttled, code: 'rate_limited', retryAfterS: 3_600 })
  await button('Send another link').click()
  await waitForText(throttled)
  await button(/^Try again in\s+(1:00:00|59:\d\d)$/).waitFor()
  await fill('Email', 'kit@owners.example')
  await button('Send reset link').waitFor()
  await expect.poll(() => problems()).toEqual([])
})

test('signing in stores the token according to “Remember me”, and one click opens the demo', {
  tags: ['A4.2', 'A3'],
}, async () => {
  const readTokens = () => app.page.evaluate(() => [localStorage.getItem('token'), sessionStorage.getItem('token')])
  const signedIn = { token, ...fixture(me) }
  app.api.answer(login, signedIn)
  app.api.answer(demoLogin, signedIn)
  await app.open('/login', { as: 'visitor' })
  await app.page.getByLabel('Remember me').uncheck()
  await signIn()
  await app.page.waitForURL('**/dashboard')
  await expect.poll(() => readTokens()).toEqual([null, token])
  await expect.poll(() => app.api.calls(login).map(({ body }) => body)).toEqual([{ email: EMAIL, password: 'secret' }])
  await app.open('/login', { as: 'visitor' })
  await button('Try the live demo').click()
  await app.page.waitForURL('**/dashboard')
  await expect.poll(() => readTokens()).toEqual([token, null])
})

test('a registration clears the stored connection and opens the plans', { tags: ['A4.2'] }, async () => {
  setAccess(app, { plan: null, isConnected: false })
  app.api.answer(register, { token, ...fixture(me) })
  await app.open('/register', { as: 'visitor' })
  await app.page.evaluate(() => localStorage.setItem('storeUrl', 'https://shop.example'))
  await fill('Name', 'Ada')
  await fill('Email', EMAIL)
  for (const label of ['Password', 'Repeat password']) await fill(label, 'secret')
  await button('Create account').click()
  await app.page.waitForURL('**/pricing')
  await expect.poll(() => app.page.evaluate(() => localStorage.getItem('token'))).toBe(token)
  await expect.poll(() => readStoredConnection(app.page)).toEqual([])
})

test('a reset link without a valid token is refused, and a new link can be requested', {
  tags: ['A2.1', 'A2.5', 'A5', 'A8'],
}, async () => {
  await app.open('/reset-password', { as: 'visitor' })
  await app.page.getByText(authTexts.invalidResetLink).waitFor()
  await app.open('/reset-password?token=x', { as: 'visitor' })
  await fill('New password', '12345')
  await fill('Repeat new password', '123456')
  await button('Set new password').click()
  await waitForText(authTexts.passwordShort)
  await waitForText(authTexts.passwordsDiffer)
  await fill('New password', 'secret')
  await fill('Repeat new password', 'secret')
  app.api.fail(resetPassword, 422, { error: authTexts.invalidResetLink, code: 'unprocessable' })
  await button('Set new password').click()
  await app.page.getByText(authTexts.invalidResetLink).waitFor()
  await expect
    .poll(() => app.page.getByRole('link', { name: 'Request a new link' }).getAttribute('href'))
    .toBe('/login?forgot')
  app.api.fail(resetPassword, 500, { error: 'x' })
  await button('Set new password').click()
  await app.page.getByText(authTexts.resetFailed).waitFor()
  await expect.poll(() => app.api.calls(resetPassword)[0]!.body).toEqual({ token: 'x', password: 'secret' })
})

test('a new password redirects to the landing page after three seconds', {
  tags: ['A2.1', 'A2.5', 'A4.2', 'A9'],
}, async () => {
  app.api.answer(resetPassword, { message: authTexts.resetDone })
  const page = await app.openAnotherPage()
  await page.clock.install()
  await page.goto(`${app.url}/reset-password?token=x`)
  for (const label of ['New password', 'Repeat new password'])
    await page.getByLabel(label, { exact: true }).fill('secret')
  await page.clock.pauseAt(Date.now() + 600_000)
  await page.getByRole('button', { name: 'Set new password' }).click()
  // One timer delivers the answer, the next starts the three seconds.
  await expect.poll(() => runUntilShown(page)).toBe(true)
  const before = await page.evaluate(() => {
    const { navigation } = window as unknown as { navigation: EventTarget }
    navigation.addEventListener('navigate', () => sessionStorage.setItem('leftAt', String(Date.now())))
    return Date.now()
  })
  await page.clock.runFor(3_000)
  await page.waitForURL('**/landing.html')
  const left = Number(await page.evaluate(() => sessionStorage.getItem('leftAt')))
  expect(left - before).toBeGreaterThan(2_950)
  expect(left - before).toBeLessThanOrEqual(3_000)
})

async function runUntilShown(page: Page): Promise<boolean> {
  await page.clock.runFor(10)
  return page.getByText(authTexts.resetDone).isVisible()
}

test.each([
  ['closed', 'Registration is closed', authTexts.registrationClosed],
  ['invite', 'By invitation', authTexts.registrationByInvitation],
] as const)('the sign-up page says that registration is %s', async (registration, heading, text) => {
  app.api.alter(readInstance, (reply) => ({ ...reply, registration }))
  const page = await app.open('/register', { as: 'visitor' })
  await page.getByRole('heading', { name: heading }).waitFor()
  await page.getByText(text).waitFor()
  await expect.poll(() => page.getByLabel('Password').count()).toBe(0)
  expect(await app.findViolations()).toEqual([])
  await page.getByRole('link', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'Create an account' }).count()).toBe(0)
})
