import { randomUUID } from 'node:crypto'
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import type { CampaignReport } from '../shared/marketing/campaign-report.ts'
import type { CampaignView } from '../shared/marketing/campaigns.ts'
import { type AppInstance, listMails, readMail } from './app-instance.ts'
import { closePages, openBrowser } from './browser.ts'
import { findStepPanel, openStep } from './flow-steps.ts'
import { createOwnerWithoutStore, KEYS } from './owner.ts'
import { startSharedInstance } from './shared-instances.ts'

// From the owner's click to the shopper's mailbox: a campaign, a flow and a discount mail, each in its own store.

let instance: AppInstance
let browser: Browser
const stores: DemoStore[] = []

beforeAll(async () => {
  instance = (await startSharedInstance('own')) as AppInstance
  browser = await openBrowser()
})
afterEach(() => closePages(browser))
afterAll(async () => {
  for (const store of stores) await store.stop()
})

/** A store that may send, in which these shoppers abandoned a cart 70 minutes ago. */
async function openStore(names: readonly string[]) {
  const store = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  stores.push(store)
  const journey = randomUUID().slice(0, 8)
  const people = names.map((name) => ({ name, email: `${name}-${journey}@shoppers.example`.toLowerCase() }))
  const sql = 'select id from products order by id limit 1'
  const { id: productId } = store.shop.db.sqlite.prepare(sql).get() as { id: number }
  store.insertOrders(
    people.map(({ name, email }) => ({
      status: 'failed',
      createdAt: Math.floor(Date.now() / 1_000) - 70 * 60,
      billing: { email, first_name: name, last_name: 'Miller', country: 'US', state: 'NY' },
      lines: [{ productId, quantity: 1 }],
    })),
  )
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
  const { ask, connect } = await createOwnerWithoutStore(instance, page, `owner-${journey}@owners.example`)
  await connect(store)
  const listCarts = (state: 'active' | 'abandoned') => {
    const count = async () => (await ask<{ carts: object[] }>('GET', `/api/carts/${state}`)).carts.length
    return expect.poll(count).toBe(people.length)
  }
  // The new store's default timeout is a day. Saving it earlier would overwrite another setting.
  await listCarts('active')
  // Half an hour away in every zone, so it is no quiet hour now.
  const quiet = (new Date().getUTCMinutes() + 30) % 60
  const formatClock = (minute: number) => `00:${String(minute % 60).padStart(2, '0')}`
  await ask('PUT', '/api/stores/settings', {
    senderName: 'Maple & Clay',
    postalAddress: '1 Kiln Road, Portland',
    abandonmentTimeoutMinutes: 60,
    quietFrom: formatClock(quiet),
    quietUntil: formatClock(quiet + 1),
  })
  await listCarts('abandoned')
  return { page, ask, people }
}

const listShopperMails = async (email: string, subject: string) =>
  (await listMails(instance, email)).filter((mail) => mail.subject.includes(subject))
const countShopperMails = (people: readonly { email: string }[], subject: string) =>
  Promise.all(people.map(async ({ email }) => (await listShopperMails(email, subject)).length))

/** The click, and the same request again with its idempotency key, as after a dropped connection. */
async function pressAndReplay(page: Page, path: string, press: () => Promise<void>) {
  const request: Promise<Request> = page.waitForRequest((each) => each.method() === 'POST' && each.url().includes(path))
  await press()
  const sent = await request
  const first = await (await sent.response())!.json()
  const reply = await page.request.fetch(sent)
  return { first, replayed: await reply.json() }
}

test('a campaign arrives once at each recipient despite repeated clicks, and its report counts them', {
  tags: ['B2', 'B4'],
}, async () => {
  const subject = 'Your pots are waiting'
  const { page, ask, people } = await openStore(['Ada', 'Ben', 'Cleo'])
  await page.goto(`${instance.url}/campaigns?form=all`)
  const form = page.getByRole('dialog', { name: 'Send to All Abandoned Carts' })
  await expect.poll(() => form.getByLabel('Subject').inputValue()).not.toBe('')
  await form.getByLabel('Subject').fill(subject)
  await form.getByRole('button', { name: 'Send to All' }).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Send to 3 people' })
  const { first, replayed } = await pressAndReplay(page, '/send-to-abandoned-carts', () => confirm.dblclick())
  const { campaign } = first as { campaign: CampaignView }
  expect((replayed as typeof first).campaign.id).toBe(campaign.id)
  await expect.poll(() => countShopperMails(people, subject)).toEqual([1, 1, 1])

  const listCampaigns = async () => (await ask<{ campaigns: CampaignView[] }>('GET', '/api/campaigns')).campaigns
  await expect.poll(async () => (await listCampaigns()).map(({ status }) => status)).toEqual(['sent'])
  await page.getByRole('button', { name: `Send ${campaign.name}` }).click()
  const again = page.getByRole('dialog', { name: `Send ${campaign.name} now?` })
  await again.getByText('No one matches now.').waitFor()
  await expect.poll(() => again.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
  await ask('POST', '/api/campaigns/send-to-abandoned-carts', { campaignId: campaign.id })
  await expect.poll(listCampaigns).toMatchObject([{ status: 'sent', nextRunAt: null }])
  const { report } = await ask<{ report: CampaignReport }>('GET', `/api/campaigns/${campaign.id}/report`)
  expect(report.counts).toMatchObject({ planned: 3, sent: 3, waiting: 0, inFlight: 0, failed: 0, unknown: 0 })
  await expect.poll(() => countShopperMails(people, subject)).toEqual([1, 1, 1])
})

test('an edited flow that is switched on sends the edited text once to a cart of the last 24 hours', {
  tags: ['A2.1'],
}, async () => {
  const { page, people } = await openStore(['Dana'])
  await page.goto(`${instance.url}/flows`)
  await page.locator('a[href^="/flows/"]:not([href$=lift])').first().click()
  await openStep(page, 1)
  await findStepPanel(page).getByRole('button', { name: 'Edit as text' }).click()
  await findStepPanel(page).getByLabel('Subject').fill('From the kiln for {{ customer_name }}')
  await findStepPanel(page).getByLabel('Text', { exact: true }).fill('The kiln is still warm.\n\n{{ checkout_link }}')
  const bar = page.getByRole('region', { name: 'Unsaved changes' })
  await bar.getByRole('button', { name: 'Save' }).click()
  await bar.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Switch on' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Include carts of the last 24 hours (1 cart)').check()
  await dialog.getByLabel('I have read the messages in the preview').check()
  await dialog.getByRole('button', { name: 'Switch on' }).click()
  await page.getByRole('button', { name: 'Switch off' }).waitFor()
  await expect.poll(() => countShopperMails(people, 'From the kiln for Dana')).toEqual([1])
  const [mail] = await listShopperMails(people[0]!.email, 'From the kiln')
  expect((await readMail(instance, mail!.id)).text).toContain('The kiln is still warm.')
  await page.reload()
  await page.getByText('1 sent').first().waitFor()
  expect(await listMails(instance, people[0]!.email)).toHaveLength(1)
})

test('a discount mail arrives once at each chosen customer, each with a personal code', {
  tags: ['B2'],
}, async () => {
  const { page, ask, people } = await openStore(['Eve', 'Finn', 'Gus'])
  const [startDate, endDate] = [-1, 7].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  await ask('POST', '/api/coupons', {
    code: 'POT',
    kind: 'personal',
    type: 'percentage',
    amount: 10,
    startDate,
    endDate,
  })
  await page.goto(`${instance.url}/coupons`)
  await page.getByRole('button', { name: 'Send Discount Mail' }).click()
  const form = page.getByRole('dialog', { name: 'Send Discount Mail' })
  for (const name of ['Eve', 'Finn']) await form.getByRole('checkbox', { name: `${name} Miller` }).press('Space')
  await form.getByRole('combobox', { name: 'Coupon' }).click()
  await page.getByRole('option', { name: /^POT-/ }).click()
  await form.getByText('2 of 2 customers would get this email now.').waitFor()
  const send = form.getByRole('button', { name: 'Send to 2 customers' })
  const { first, replayed } = await pressAndReplay(page, '/send-discount-offers', () => send.dblclick())
  expect(replayed).toEqual(first)
  await form.getByText('Discount emails sent successfully!').first().waitFor()
  await expect.poll(() => countShopperMails(people, 'A coupon for you')).toEqual([1, 1, 0])
  const codes = await Promise.all(
    people.slice(0, 2).map(async ({ email }) => {
      const [mail] = await listShopperMails(email, 'A coupon for you')
      const { text } = await readMail(instance, mail!.id)
      expect(text).toContain('10% off')
      return /POT-[A-Z0-9]{8}/.exec(text)![0]
    }),
  )
  expect(new Set(codes).size).toBe(2)
})
