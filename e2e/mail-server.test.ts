import { mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { type AppInstance, anAppInstance } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { checkInEveryTheme } from './every-theme.ts'
import { anOwner, KEYS } from './owner.ts'

// An owner sees that mail stays on this server, enters a mail server of their own, and sends themselves a test mail by it.
// SCREENSHOTS=folder keeps pictures.

const shots = process.env.SCREENSHOTS
const taken: string[] = []
let smtp: SMTPServer
let port: number
let store: DemoStore
let instance: AppInstance
let browser: Browser
let page: Page

beforeAll(async () => {
  smtp = new SMTPServer({
    logger: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onAuth: ({ password, username }, _session, done) =>
      done(
        password === 'right'
          ? null
          : Object.assign(new Error('5.7.8 Username and password not accepted'), { responseCode: 535 }),
        { user: username },
      ),
    onData(stream, { envelope }, done) {
      stream.resume()
      stream.on('end', () => {
        taken.push(envelope.rcptTo[0]!.address)
        done(null, 'queued as 7')
      })
    },
  })
  smtp.on('error', () => {})
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  port = (smtp.server.address() as AddressInfo).port
  store = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  await anOwner(instance, store, page)
  if (shots) mkdirSync(shots, { recursive: true })
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
  await store?.stop()
  await new Promise<void>((resolve) => smtp.close(() => resolve()))
})

const card = (name: string) => page.getByRole('region', { name, exact: true })
const banner = () => page.getByRole('region', { name: 'Notices' }).getByText('Email stays on this server.')

const look = (name: string) => checkInEveryTheme(page, name)

test('while no mail server is set, a banner says where mail goes, and each part of sending says how it stands', async () => {
  await page.goto(`${instance.url}/settings/sending`)
  await banner().waitFor()
  const rows = card('Sending').getByRole('listitem')
  await expect
    .poll(() => rows.allInnerTexts())
    .toEqual([
      expect.stringMatching(/^Sender[\s\S]*The postal address is missing[\s\S]*Needs attention/),
      // Its logo may have been found already.
      expect.stringMatching(/^Brand[\s\S]*(Not set up|Needs attention)/),
      expect.stringMatching(/^Mail server[\s\S]*Email stays on this server[\s\S]*Not set up/),
      expect.stringMatching(/^Domain[\s\S]*Not set up/),
      expect.stringMatching(/^Bounces[\s\S]*Not set up/),
      expect.stringMatching(/^SMS[\s\S]*Not set up/),
      expect.stringMatching(/^WhatsApp[\s\S]*Not set up/),
      expect.stringMatching(/^Web push/),
    ])
  await look('sending')
  await page.getByRole('link', { name: /^Mail server/ }).click()
  await page.waitForURL('**/settings/sending/mail-server')
  await expect.poll(() => page.title()).toBe('Mail server · Settings · Recoup')
  const mailbox = await banner().locator('xpath=../..').getByRole('link', { name: 'Mailbox' }).getAttribute('href')
  expect((await fetch(mailbox!)).ok).toBe(true)
})

test('a test mail into the built-in mailbox sends nobody to their inbox', async () => {
  const trial = card('Test email')
  await trial.getByRole('button', { name: 'Send test email' }).click()
  await trial.getByText('The email is in the built-in mailbox.').waitFor()
  expect(await trial.innerText()).not.toContain('Look into your inbox')
  await look('mail-server-mailbox')
})

test('a user name that is no address asks for the address emails come from; the password is there before the user', async () => {
  const server = card('Mail server')
  expect(await server.getByRole('textbox', { name: 'Password' }).isVisible()).toBe(true)
  await server.getByLabel('Server').fill('127.0.0.1')
  await server.getByLabel('User').fill('apikey')
  await server.getByRole('textbox', { name: 'Password' }).fill('right')
  await server.getByRole('button', { name: 'Check and save' }).click()
  await server.getByText('The user name is not an email address, so enter the address').waitFor()
  await look('mail-server-from')
})

test('a wrong password is said in words and nothing is kept; the right one is, and a test mail is accepted', async () => {
  const server = card('Mail server')
  await server.getByLabel('Server').fill('127.0.0.1')
  await server.getByLabel('User').fill('shop@mugs.example')
  await server.getByRole('textbox', { name: 'Password' }).fill('wrong')
  await server.getByRole('combobox', { name: 'Encryption' }).click()
  await page.getByRole('option', { name: 'None (same machine only)' }).click()
  await server.getByLabel('Port').fill(String(port))
  await server.getByRole('button', { name: 'Check and save' }).press('Enter')
  await server.getByRole('alert').getByText('127.0.0.1 refused the user name and password.').waitFor()
  await look('mail-server-refused')
  await server.getByRole('textbox', { name: 'Password' }).fill('right')
  await server.getByRole('button', { name: 'Check and save' }).click()
  await server.getByText('Emails are sent through 127.0.0.1, from shop@mugs.example.').waitFor()
  expect(await server.getByRole('textbox', { name: 'Password' }).inputValue()).toBe('')
  await expect.poll(() => banner().count()).toBe(0)
  await card('Test email').getByRole('button', { name: /^Send/ }).click()
  await card('Test email').getByText('The mail server accepted the email to').waitFor()
  await server.getByText('It accepted a test email').waitFor()
  expect(taken).toHaveLength(1)
  await look('mail-server-set')
  await page.goto(`${instance.url}/settings/sending`)
  await page.getByRole('link', { name: /^Mail server.*It has accepted a test email.*Set up/s }).waitFor()
})

test('it is removed after a question, and mail stays on this server again', async () => {
  await page.goto(`${instance.url}/settings/sending/mail-server`)
  await card('Mail server').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await banner().waitFor()
})

test('every part of sending is looked at', async () => {
  for (const part of ['sender', 'domain', 'bounces']) {
    await page.goto(`${instance.url}/settings/sending/${part}`)
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    await page.locator('main [role=status][aria-label=Loading]').first().waitFor({ state: 'detached' })
    await look(`sending-${part}`)
  }
})
