import type { Locator } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { openStep } from '../e2e/flow-steps.ts'
import { authTexts, demoLogin, login, me } from '../shared/access/auth.ts'
import { readSecondFactor } from '../shared/access/second-factor.ts'
import { checkConnection, saveStoreSettings } from '../shared/access/stores.ts'
import { listAbandonedCarts } from '../shared/carts/carts.ts'
import type { Endpoint } from '../shared/core/endpoint.ts'
import { lastMessage } from '../shared/delivery/reminders.ts'
import { trySaveFlow } from '../shared/marketing/flows.ts'
import { previewMessage, testSend } from '../shared/marketing/message-preview.ts'
import { inviteMember } from '../shared/workspace/team.ts'
import { OFFLINE } from '../web/core/api/api.ts'
import { listSections, SECTIONS, samplePreview } from './access-scene.ts'
import { fixture } from './api.ts'
import { createScreens } from './app.ts'
import { NO_EFFECT } from './flows-api.ts'

// A session that expires and a server that goes down while a user types (decision 2): no input is lost.

const app = createScreens()
const findCap = () => app.page.getByRole('textbox', { name: 'Messages per person', exact: true })
const findSubject = (within: Locator = app.page.locator('body')) => within.getByLabel('Subject').first()
const findButton = (name: string | RegExp) => app.page.getByRole('button', { name, exact: true })
const saveBar = () => app.page.getByRole('region', { name: 'Unsaved changes' })
const findLostNotice = () => app.page.getByText('The Recoup server is not responding.')

describe('an expired session', () => {
  const newToken = 'another-token'
  const expire = (endpoint: Endpoint) =>
    app.api.fail(endpoint, 401, { error: authTexts.sessionExpired, code: 'session' })
  const isExpired = async () => {
    await app.page.getByText(authTexts.sessionExpired).waitFor()
    await expect.poll(() => app.page.evaluate(() => localStorage.getItem('token'))).toBeNull()
  }
  async function signInAgain(as = fixture(me)): Promise<void> {
    app.api.answer(me, as)
    app.api.answer(demoLogin, { token: newToken, ...as })
    await findButton('Try the live demo').click()
  }

  test('restores settings input after signing in again, and it can be saved', async () => {
    await app.open('/settings/recovery-rules')
    await findCap().fill('7')
    expire(saveStoreSettings)
    await findButton('Save').click()
    await isExpired()
    await signInAgain()
    await app.page.waitForURL('**/settings/recovery-rules')
    await expect.poll(() => findCap().inputValue()).toBe('7')
    app.api.answer(saveStoreSettings, { store: { ...fixture(checkConnection).store!, capMessages: 7 } })
    await findButton('Save').click()
    await saveBar().waitFor({ state: 'hidden' })
    await expect
      .poll(() => app.api.calls(saveStoreSettings).at(-1)!.sent.headers.authorization)
      .toBe(`Bearer ${newToken}`)
  })

  test('is noticed by the live connection alone, and a flow’s message is restored', async () => {
    // Validation of the input is debounced.
    app.api.answer(trySaveFlow, { effect: NO_EFFECT })
    await app.open('/flows')
    await app.page.getByRole('link', { name: 'Abandoned cart reminders' }).click()
    await openStep(app.page, 1)
    await findSubject().fill('Still thinking it over?')
    await expect.poll(() => app.live.connections()).toBeGreaterThan(0)
    expire(me)
    app.live.cut()
    await isExpired()
    await signInAgain()
    await app.page.waitForURL('**/flows/*')
    await expect.poll(() => findSubject().inputValue()).toBe('Still thinking it over?')
  })

  test('reopens the send dialog with its text and time', async () => {
    app.api.answer(lastMessage, { message: null })
    app.api.answer(previewMessage, samplePreview)
    await app.open('/carts')
    await findButton(/^Send email to /)
      .first()
      .click()
    const form = app.page.getByRole('dialog', { name: 'Send Email Reminder' })
    await form.getByText('Schedule', { exact: true }).click()
    await form.getByLabel('Send in').selectOption('24')
    await findSubject(form).fill('Still thinking it over?')
    await form.getByRole('button', { name: 'Change the text' }).click()
    await form.getByLabel('Text', { exact: true }).fill('Your cart: {{ checkout_link }}')
    expire(testSend)
    await form.getByRole('button', { name: 'Send a test to myself' }).click()
    await isExpired()
    await signInAgain()
    await app.page.waitForURL('**/carts')
    await expect.poll(() => findSubject(form).inputValue()).toBe('Still thinking it over?')
    await expect.poll(() => form.getByLabel('Send in').inputValue()).toBe('24')
    await expect
      .poll(() => form.getByLabel('Text', { exact: true }).inputValue())
      .toBe('Your cart: {{ checkout_link }}')
  })

  test('restores profile and invitation input for the same user only', async () => {
    const kit = { user: { ...fixture(me).user, isDemo: false, name: 'Kit' } }
    const olive = {
      user: { ...fixture(me).user, id: '01a2244e-93f0-74ee-b888-d1bc1c317d03', isDemo: false, name: 'Olive' },
    }
    app.api.answer(me, olive)
    app.api.answer(readSecondFactor, { isOn: false, since: null, recoveryCodesLeft: 0 })
    const type = async () => {
      await app.page.getByLabel('Your name').fill('Olive Ashby')
      await app.page.getByLabel('Invite by email').fill('mia@team.example')
      expire(inviteMember)
      await findButton('Send invitation').click()
      await isExpired()
    }
    await app.open('/settings/account')
    await expect.poll(() => app.page.getByLabel('Your name').inputValue()).toBe('Olive')
    await type()
    app.api.answer(login, { token: newToken, ...olive })
    await app.page.getByLabel('Email').fill('olive@owners.example')
    await app.page.getByLabel('Password', { exact: true }).fill('secret')
    await findButton('Sign in').click()
    await app.page.waitForURL('**/settings/account')
    await expect.poll(() => app.page.getByLabel('Your name').inputValue()).toBe('Olive Ashby')
    await expect.poll(() => app.page.getByLabel('Invite by email').inputValue()).toBe('mia@team.example')
    await type()
    await signInAgain(kit)
    await app.page.waitForURL('**/settings/account')
    await expect.poll(() => app.page.getByLabel('Your name').inputValue()).toBe('Kit')
    await expect.poll(() => app.page.getByLabel('Invite by email').inputValue()).toBe('')
    await expect.poll(() => saveBar().count()).toBe(0)
  })
})

describe('a server that is down', () => {
  let isAway = false
  beforeEach(async () => {
    isAway = false
    // Not the app's own polling, but another request must detect the returned server.
    await app.page.route('**/*', (route) => (isAway ? route.abort() : route.fallback()))
  })

  test('keeps the shell, explains it, and shows the screen once the server is back', { tags: ['A4.2'] }, async () => {
    await app.open('/dashboard')
    await app.waitUntilSettled()
    isAway = true
    await app.page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Settings' }).click()
    await app.page.getByRole('heading', { level: 1, name: 'The Recoup server cannot be reached' }).waitFor()
    await app.page.getByText('This page opens automatically when the server responds.').waitFor()
    await findLostNotice().waitFor()
    await expect.poll(() => listSections(app.page)).toEqual(SECTIONS)
    await expect.poll(() => app.page.getByText('newer version').count()).toBe(0)
    isAway = false
    await app.page.getByRole('heading', { name: 'Store Connection' }).waitFor()
    await expect.poll(() => new URL(app.page.url()).pathname).toBe('/settings')
    await findLostNotice().waitFor({ state: 'hidden' })
  })

  test('gets the failed requests again once it is back', async () => {
    await app.open('/carts')
    await app.waitUntilSettled()
    isAway = true
    await app.page.getByLabel('Search customers').fill('zzzz')
    await findLostNotice().waitFor()
    const none = { ...fixture(listAbandonedCarts).pagination, total: 0, pages: 0 }
    app.api.alter(listAbandonedCarts, (reply) => ({ ...reply, carts: [], pagination: none }))
    isAway = false
    await app.page.getByText('No abandoned carts match your current filters.').first().waitFor()
  })

  test('loses no input, and settings are saved once it is back', { tags: ['A4.2'] }, async () => {
    await app.open('/settings/recovery-rules')
    await findCap().fill('5')
    await app.waitUntilSettled()
    isAway = true
    await findButton('Save').click()
    await app.page.getByText(OFFLINE).first().waitFor()
    await findLostNotice().waitFor()
    await findButton('Retry').first().click()
    await expect.poll(() => findCap().inputValue()).toBe('5')
    isAway = false
    app.api.answer(saveStoreSettings, { store: { ...fixture(checkConnection).store!, capMessages: 5 } })
    await findLostNotice().waitFor({ state: 'hidden' })
    await expect.poll(() => findCap().inputValue()).toBe('5')
    await findButton('Save').click()
    await saveBar().waitFor({ state: 'hidden' })
    await expect.poll(() => app.api.calls(saveStoreSettings).map(({ body }) => body.capMessages)).toEqual([5])
  })

  test('refuses an invitation and a sign-in with the reason, and both work once it is back', {
    tags: ['A4.2'],
  }, async () => {
    app.api.alter(me, ({ user }) => ({ user: { ...user, isDemo: false } }))
    app.api.answer(readSecondFactor, { isOn: false, since: null, recoveryCodesLeft: 0 })
    app.api.cut(inviteMember)
    await app.open('/settings/account')
    await app.page.getByLabel('Invite by email').fill('mia@team.example')
    await findButton('Send invitation').click()
    await app.page.getByText(OFFLINE).first().waitFor()
    await expect.poll(() => app.page.getByLabel('Invite by email').inputValue()).toBe('mia@team.example')
    app.api.answer(inviteMember, { success: true, message: 'Invited.' })
    await findButton('Send invitation').click()
    await expect.poll(() => app.page.getByLabel('Invite by email').inputValue()).toBe('')
    app.api.cut(login)
    await app.open('/login', { as: 'visitor' })
    await app.page.getByLabel('Email').fill('olive@owners.example')
    await app.page.getByLabel('Password', { exact: true }).fill('secret')
    await findButton('Sign in').click()
    await app.page.getByText(OFFLINE).first().waitFor()
    await expect.poll(() => app.page.getByLabel('Password', { exact: true }).inputValue()).toBe('secret')
    app.api.answer(login, { token: 'another-token', ...fixture(me) })
    await findButton('Sign in').click()
    await app.page.waitForURL('**/dashboard')
  })
})
