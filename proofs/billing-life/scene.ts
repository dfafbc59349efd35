import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type AppInstance, listMails, readMail, startAppInstance, waitUntil } from '../../e2e/app-instance.ts'
import { openBrowser } from '../../e2e/browser.ts'
import { KEYS } from '../../e2e/owner.ts'
import { type StripeServer, startStripe } from '../../providers/contracts/stripe/server.ts'
import { type DemoStore, startDemoStore } from '../../providers/woocommerce/store.ts'

// An instance that sells plans through the contract server of Stripe. Its clock, Stripe's and the browser's move
// together.

export const OWNER = { name: 'Olive Owner', email: 'olive@owners.example', password: 'four pots on Kiln Road' }
const DAY_MS = 86_400_000

export let instance: AppInstance
export let stripe: StripeServer
export let page: Page
let browser: Browser
let clockUrl: string
let aheadMs = 0
const stores: DemoStore[] = []
/** Keys of mails that findMail has returned. */
const matchedMails = new Set<string>()

const now = () => new Date(Date.now() + aheadMs)

const buildStripeSettings = () => ({
  STRIPE_SECRET_KEY: stripe.apiKey,
  STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
  STRIPE_API_URL: stripe.url,
})

export async function startScene(): Promise<void> {
  stripe = await startStripe({ now: now(), signedAt: now })
  const clock = new URL('./moved-clock.ts', import.meta.url)
  instance = await startAppInstance({ DEMO: 'off', NODE_OPTIONS: `--import ${clock}`, ...buildStripeSettings() })
  clockUrl = `http://127.0.0.1:${/clock at port (\d+)/.exec(instance.output())![1]}`
  browser = await openBrowser()
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
  stripe.webhooks.deliverTo(`${instance.url}/api/webhooks/stripe`)
}

export async function endScene(): Promise<void> {
  stripe?.webhooks.deliverTo(null)
  await browser?.close()
  await instance?.stop()
  await stripe?.close()
  for (const store of stores) await store.stop()
  expect(stripe?.faults).toEqual([])
}

/** Runs `npm run billing:setup` and returns its output. */
export async function runBillingSetup(): Promise<string> {
  const env = { ...process.env, DATA_DIR: instance.dataDir, PUBLIC_URL: instance.url, ...buildStripeSettings() }
  return (await promisify(execFile)(process.execPath, ['server/billing/payments/setup-main.ts'], { env })).stdout
}

/** Moves the clocks of server, test, browser and Stripe, which then performs and reports everything that is due. */
export async function advanceDays(days: number): Promise<void> {
  aheadMs += days * DAY_MS
  await fetch(`${clockUrl}/${aheadMs}`)
  await page.context().clock.setSystemTime(now())
  await syncStripeClock()
}

/** Stripe's clock otherwise stands still; this sets it to now. */
export async function syncStripeClock(): Promise<StripeServer> {
  stripe.clock.advance(now())
  await stripe.webhooks.idle()
  return stripe
}

/** Opens a screen with current data. */
export async function openPage(path: string): Promise<void> {
  await syncStripeClock()
  await page.goto(instance.url + path)
}

/** Calls Recoup's API as the signed-in user of the page. */
export async function callApi<T>(method: string, path: string, body?: object): Promise<{ status: number; body: T }> {
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const headers = { ...(body && { 'content-type': 'application/json' }), authorization: `Bearer ${token}` }
  const reply = await fetch(instance.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: reply.status, body: (await reply.json()) as T }
}

export async function connectStore() {
  const store = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS, now: () => now().getTime() })
  stores.push(store)
  const keys = { consumer_key: KEYS.consumerKey, consumer_secret: KEYS.consumerSecret }
  const connection = { platform: 'woocommerce', store_url: store.url, ...keys }
  return { url: store.url, ...(await callApi<{ error?: string }>('POST', '/api/stores/connect-store', connection)) }
}

/** Returns the text of an unread mail to the owner that contains this title; one mail may report several events. */
export async function findMail(title: string): Promise<string> {
  const subjects: string[] = []
  const findNext = async () => {
    for (const { id, subject } of await listMails(instance, OWNER.email)) {
      if (matchedMails.has(`${id} ${title}`)) continue
      const text = (await readMail(instance, id)).text.replaceAll('\r\n', '\n')
      if (`${subject}\n${text}`.includes(title)) {
        matchedMails.add(`${id} ${title}`)
        return text
      }
      subjects.push(subject)
    }
    return null
  }
  let text: string | null = null
  const tryFind = async () => {
    text = await findNext()
    return text !== null
  }
  for (let tries = 0; text === null && tries < 4; tries++) {
    // Mails are at least a quarter of an hour apart: events meanwhile are in the next one.
    if (tries > 0) await advanceDays(16 / 1_440)
    await waitUntil(tryFind, 9_000).catch(() => undefined)
  }
  if (text === null) throw new Error(`no mail contains “${title}”; there are: ${[...new Set(subjects)].join('; ')}`)
  return text
}

export const main = () => page.getByRole('main')
export const findDialog = (name: string) => page.getByRole('dialog', { name })
export const pressButton = async (name: string | RegExp) => {
  await syncStripeClock()
  await main().getByRole('button', { name }).click()
}

/** Formats a day as the screens do. */
export const formatDay = (seconds: number) =>
  new Date(seconds * 1_000).toLocaleDateString('en-US', { dateStyle: 'medium' })

export const readSubscription = () => stripe.all('subscription').at(-1)!
export const readPeriodEnd = () => formatDay(readSubscription().items.data[0]!.current_period_end)

/** Adds a card in Stripe’s portal through “Manage Billing”, and returns. */
export async function submitCard(number: string): Promise<void> {
  await openPage('/billing')
  await pressButton('Manage Billing')
  await page.waitForURL(`${stripe.url}/p/session/*`)
  await page.getByLabel('Card number').fill(number)
  await page.getByRole('button', { name: 'Add payment method' }).click()
  await page.getByText(`•••• ${number.slice(-4)} (default)`).waitFor()
  await stripe.webhooks.idle()
  await page.getByRole('link', { name: 'Return' }).click()
  await page.waitForURL(`${instance.url}/billing`)
}

/** Reads the payment history, newest first: description, status with a reason, amount with a refund. */
export async function readPaymentHistory(): Promise<string[]> {
  await openPage('/billing?payments=1')
  const rows = main().getByRole('region', { name: 'Payment history' }).getByRole('row')
  await expect.poll(() => rows.count()).toBeGreaterThan(1)
  const texts = await rows.allInnerTexts()
  return texts.slice(1).map((text) =>
    text
      .split(/\s*[\n\t]\s*/)
      .slice(1, -1)
      .join(' | '),
  )
}
