import { expect, test } from 'vitest'
import {
  type MailServerView,
  readMailServer,
  removeMailServer,
  saveMailServer,
} from '../shared/delivery/mail-server.ts'
import { readSendingStates, sendTestMail } from '../shared/delivery/sending.ts'
import { serveUser } from './account-scene.ts'
import { fixture } from './api.ts'
import { createScreens } from './app.ts'

const app = createScreens()
const { api } = app

const inMailbox: MailServerView = { ...fixture(readMailServer), isFixed: false }
const findCard = (name: string) => app.page.getByRole('region', { name, exact: true })
const findBanner = () => app.page.getByRole('region', { name: 'Notices' }).getByText('Email stays on this server.')
const step = { id: 'accepted', title: 'Accepted', state: 'good' as const, nextStep: null, answer: null, record: null }
const buildTestMail = (changes: object) => ({
  isAccepted: true,
  to: 'olive@owners.example',
  from: 'shop@mugs.example',
  way: 'own' as const,
  steps: [{ ...step, finding: 'The mail server accepted the email.' }],
  ...changes,
})

const buildOwnServer = (changes: Partial<NonNullable<MailServerView['server']>> = {}): MailServerView => ({
  ...inMailbox,
  way: 'own',
  from: 'shop@mugs.example',
  server: {
    host: '127.0.0.1',
    port: 2_525,
    security: 'none',
    user: 'shop@mugs.example',
    fromAddress: null,
    version: 1,
    checkAnswer: '250 OK',
    checkedAt: '2026-11-28T22:40:00.000Z',
    problem: null,
    failingSince: null,
    triesAt: null,
    ...changes,
  },
})

test('a banner states that mail stays on this server, and each section shows whether it is set up', async () => {
  serveUser(api)
  api.answer(readMailServer, inMailbox)
  const sections = [
    { id: 'sender', state: 'attention', words: 'The postal address is missing, so no email is sent.' },
    { id: 'mail-server', state: 'none', words: 'Email stays on this server.' },
    { id: 'domain', state: 'set', words: 'The domain is verified.' },
  ] as ReturnType<typeof fixture<typeof readSendingStates>>['sections']
  api.answer(readSendingStates, { sections })
  const page = await app.open('/settings/sending')
  await findBanner().waitFor()
  await expect
    .poll(() => findCard('Sending').getByRole('listitem').allInnerTexts())
    .toEqual([
      expect.stringMatching(/^Sender[\s\S]*The postal address is missing[\s\S]*Needs attention/),
      expect.stringMatching(/^Mail server[\s\S]*Email stays on this server[\s\S]*Not set up/),
      expect.stringMatching(/^Domain[\s\S]*Set up/),
      expect.stringMatching(/^Web push/),
    ])
  const mailbox = findBanner().locator('xpath=../..').getByRole('link', { name: 'Mailbox' })
  await expect.poll(() => mailbox.getAttribute('href')).toBe(inMailbox.mailboxUrl)
  await page.getByRole('link', { name: /^Mail server/ }).click()
  await page.waitForURL('**/settings/sending/mail-server')
  await expect.poll(() => page.title()).toBe('Mail server · Settings · Recoup')
})

test('a test mail in the built-in mailbox is not reported as delivered to the user', async () => {
  serveUser(api)
  api.answer(readMailServer, inMailbox)
  api.answer(sendTestMail, buildTestMail({ way: 'mailbox' }))
  await app.open('/settings/sending/mail-server')
  await findCard('Test email').getByRole('button', { name: 'Send test email' }).click()
  await findCard('Test email').getByText('The email is in the built-in mailbox.').waitFor()
  await expect.poll(() => findCard('Test email').innerText()).not.toContain('Look into your inbox')
})

test('a mail server is checked and saved; a refusal is shown and clears nothing; a test mail is sent through it', async () => {
  serveUser(api)
  api.answer(readMailServer, inMailbox)
  const page = await app.open('/settings/sending/mail-server')
  const server = findCard('Mail server')
  const password = server.getByRole('textbox', { name: 'Password' })
  await password.waitFor()
  await server.getByLabel('Server').fill('127.0.0.1')
  await server.getByLabel('User').fill('apikey')
  await password.fill('wrong')
  await server.getByRole('button', { name: 'Check and save' }).click()
  await server.getByText('The user name is not an email address, so enter the address').waitFor()
  expect(api.calls(saveMailServer)).toEqual([])
  await server.getByLabel('User').fill('shop@mugs.example')
  await server.getByRole('combobox', { name: 'Encryption' }).click()
  await page.getByRole('option', { name: 'None (same machine only)' }).click()
  await expect.poll(() => server.getByLabel('Port').inputValue()).toBe('25')
  await server.getByLabel('Port').fill('2525')
  const refusal = '127.0.0.1 refused the user name and password.'
  api.fail(saveMailServer, 422, { error: refusal })
  await server.getByRole('button', { name: 'Check and save' }).press('Enter')
  await server.getByRole('alert').getByText(refusal).waitFor()
  await expect.poll(() => server.getByLabel('User').inputValue()).toBe('shop@mugs.example')
  await password.fill('right')
  api.answer(saveMailServer, buildOwnServer())
  await server.getByRole('button', { name: 'Check and save' }).click()
  await server.getByText('Emails are sent through 127.0.0.1, from shop@mugs.example.').waitFor()
  await expect.poll(() => password.inputValue()).toBe('')
  await expect.poll(() => findBanner().count()).toBe(0)
  await expect
    .poll(() => api.calls(saveMailServer).at(-1)!.body)
    .toEqual({
      host: '127.0.0.1',
      port: 2_525,
      security: 'none',
      user: 'shop@mugs.example',
      password: 'right',
      fromAddress: '',
      version: 0,
    })
  api.answer(sendTestMail, () => {
    api.answer(readMailServer, { ...buildOwnServer(), acceptedAt: '2026-11-28T22:41:00.000Z' })
    return buildTestMail({})
  })
  await findCard('Test email').getByRole('button', { name: /^Send/ }).click()
  await findCard('Test email').getByText('The email was sent to olive@owners.example.').waitFor()
  await server.getByText('Test email sent').waitFor()
})

test('a provider fills server, port and encryption, and says what user and password are', async () => {
  serveUser(api, { isEmailConfirmed: false })
  api.answer(readMailServer, inMailbox)
  await app.open('/settings/sending/mail-server')
  const server = findCard('Mail server')
  const preset = (name: string) => server.getByRole('group', { name: 'Provider' }).getByRole('button', { name })
  const values = () =>
    Promise.all(['Server', 'Port', 'User'].map((label) => server.getByLabel(label, { exact: true }).inputValue()))
  await preset('Gmail').click()
  await server.getByText('Password: an app password from your Google account').waitFor()
  await expect.poll(values).toEqual(['smtp.gmail.com', '465', ''])
  await preset('SendGrid').click()
  await expect.poll(values).toEqual(['smtp.sendgrid.net', '587', 'apikey'])
  await expect.poll(() => preset('SendGrid').getAttribute('aria-pressed')).toBe('true')
  await expect.poll(() => server.getByRole('combobox', { name: 'Encryption' }).inputValue()).toBe('STARTTLS')
  // The server refuses an unconfirmed address, and the form says so first.
  await server.getByText('Confirm your email address to save a mail server.').waitFor()
  await findCard('Test email').getByText('Confirm your email address to send a test email.').waitFor()
})

test('a failing mail server shows its reply, and is removed after a confirmation', async () => {
  serveUser(api)
  const problem = '421 Too many connections'
  api.answer(readMailServer, buildOwnServer({ problem, failingSince: '2026-11-28T20:00:00.000Z' }))
  api.answer(removeMailServer, inMailbox)
  const page = await app.open('/settings/sending/mail-server')
  await findCard('Mail server').getByText('127.0.0.1 is not accepting email').waitFor()
  await findCard('Mail server').getByText(`Its answer: ${problem}`).waitFor()
  await findCard('Mail server').getByRole('button', { name: 'Remove', exact: true }).click()
  expect(api.calls(removeMailServer)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await findBanner().waitFor()
  await expect.poll(() => findCard('Mail server').getByLabel('Server').inputValue()).toBe('')
})

test.each([
  ['the demo’s', {}, 'Read-only in the demo.'],
  [
    'a viewer’s',
    { role: 'viewer', isDemo: false } as const,
    'Only the owner or an admin of the account can change this.',
  ],
])('%s mail server cannot be changed, and the screen gives the reason', async (_whose, user, text) => {
  if ('role' in user) {
    serveUser(api, user)
    api.answer(readMailServer, inMailbox)
  }
  await app.open('/settings/sending/mail-server')
  await app.page.getByText(text).waitFor()
  await findCard('Mail server').getByRole('heading').waitFor()
  await expect.poll(() => findCard('Mail server').getByRole('textbox').count()).toBe(0)
})
