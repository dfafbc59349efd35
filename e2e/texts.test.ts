import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { type ContractOptions, type ContractServer, openContractTwilio } from '../test/contract-servers/twilio.ts'
import { openContractWhatsApp } from '../test/contract-servers/whatsapp.ts'
import { type AppInstance, anAppInstance, until } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { checkInEveryTheme } from './every-theme.ts'
import { anOwner, KEYS } from './owner.ts'

// SMS and WhatsApp as an owner sets them up, with providers that refuse what the real ones refuse. SCREENSHOTS=folder keeps pictures.

const accountSid = `AC${'b'.repeat(32)}`
const shots = process.env.SCREENSHOTS
const line = { sender: '+12025550100', inboundUrl: null }
const metaOptions: ContractOptions = {
  lines: [{ ...line, provider: 'meta', account: '106540352242922', token: 'EAA', signingSecret: 'app' }],
}
let twilio: ContractServer
let meta: ContractServer
let store: DemoStore
let instance: AppInstance
let browser: Browser
let page: Page

beforeAll(async () => {
  const lines = [{ ...line, provider: 'twilio' as const, account: accountSid, token: 'right', signingSecret: 'right' }]
  twilio = await openContractTwilio({ lines })
  meta = await openContractWhatsApp(metaOptions)
  store = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  instance = await anAppInstance({ DEMO: 'off', TWILIO_API_URL: twilio.url, WHATSAPP_API_URL: meta.url })
  metaOptions.publicUrl = instance.url
  browser = await openBrowser()
  page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  await anOwner(instance, store, page)
  if (shots) mkdirSync(shots, { recursive: true })
})

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
  await store?.stop()
  await twilio?.close()
  await meta?.close()
})

const card = (name: string) => page.getByRole('region', { name, exact: true })

async function open(channel: 'sms' | 'whatsapp') {
  await page.goto(`${instance.url}/settings/sending/${channel}`)
  await card(channel === 'sms' ? 'SMS' : 'WhatsApp').waitFor()
}

const look = (name: string) => checkInEveryTheme(page, name, 'main')

test('before anything is entered, texts go to the built-in phones, and the card says so', async () => {
  for (const [name, channel] of [
    ['SMS', 'sms'],
    ['WhatsApp', 'whatsapp'],
  ] as const) {
    await open(channel)
    await card(name).getByText('Phone sandbox', { exact: true }).waitFor()
    const phones = await card(name).getByRole('link', { name: 'Open the phones' }).getAttribute('href')
    expect(await (await fetch(phones!)).text()).toContain('No messages yet')
  }
  await look('texts-sandbox')
})

test('Twilio is asked before anything is kept, and its own answer is shown', async () => {
  await open('sms')
  const sms = card('SMS')
  await sms.getByLabel('Account SID').fill('AC1')
  await sms.getByRole('button', { name: 'Check and save' }).click()
  await sms.getByText('AC and 32 digits').waitFor()
  await sms.getByLabel('Account SID').fill(accountSid)
  await sms.getByRole('textbox', { name: 'Auth token' }).fill('wrong')
  await sms.getByLabel('Sender for all countries').fill('+12025550100')
  await sms.getByRole('button', { name: 'Check and save' }).click()
  await sms.getByRole('alert').getByText('20003 Authenticate').waitFor()
  await sms.getByRole('textbox', { name: 'Auth token' }).fill('right')
  await sms.getByRole('button', { name: 'Check and save' }).click()
  await sms.getByText('Ready', { exact: true }).waitFor()
  await sms.getByText('Account “Phone sandbox”, active').waitFor()
  await sms.getByText('Twilio cannot reach this server').waitFor()
  expect(await sms.getByRole('textbox', { name: 'Auth token' }).inputValue()).toBe('')
})

test('WhatsApp lists templates with their approval; the chosen one gets its variables', async () => {
  await open('whatsapp')
  const whatsapp = card('WhatsApp')
  await whatsapp.getByLabel('Phone number ID').fill('106540352242922')
  await whatsapp.getByLabel('WhatsApp Business Account ID').fill('9106540352242922')
  await whatsapp.getByRole('textbox', { name: 'Access token' }).fill('EAA')
  await whatsapp.getByRole('textbox', { name: 'App secret' }).fill('app')
  await whatsapp.getByRole('button', { name: 'Check and save' }).click()
  await whatsapp.getByText('Ready', { exact: true }).waitFor()
  await whatsapp.getByText('All templates and their approval').click()
  await whatsapp.getByText('WhatsApp has not approved it (pending).').waitFor()
  await whatsapp.getByRole('combobox', { name: 'Template' }).selectOption('cart_reminder en_US')
  const places = ['customer_name', 'store_name', 'cart_items', 'cart_total']
  for (const [at, variable] of places.entries()) await whatsapp.getByLabel(`{{${at + 1}}} is`).selectOption(variable)
  await whatsapp.getByText('Hi Ada, you left something in your cart at Tea & Co: 2 × Earl Grey').waitFor()
  await whatsapp.getByRole('button', { name: 'Use this template' }).click()
  await until(() => whatsapp.getByRole('button', { name: 'Use this template' }).isDisabled(), 5_000)
  await page.reload()
  await until(async () => (await whatsapp.getByLabel('{{4}} is').inputValue()) === 'cart_total', 10_000)
  await look('texts-ready')
})

test('a monthly amount is saved as it is typed, with one press', async () => {
  const budget = card('Budget')
  await budget.getByRole('switch', { name: 'Stop at a monthly amount' }).click()
  for (const [typed, shown] of [
    ['80.00', '$80.00'],
    ['0.50', '$0.50'],
  ]) {
    await budget.getByLabel('Amount in USD').fill('')
    await budget.getByLabel('Amount in USD').pressSequentially(typed!)
    await budget.getByRole('button', { name: 'Save budget' }).click()
    await budget.getByText(`of ${shown}`).waitFor()
  }
  await budget.getByLabel('Amount in USD').fill('')
  await budget.getByText('An amount from 0 to 1,000,000').waitFor()
})

test('what is removed goes back to the phones, after a question', async () => {
  await open('sms')
  const sms = card('SMS')
  await sms.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await sms.getByText('Phone sandbox', { exact: true }).waitFor()
})
