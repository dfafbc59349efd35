import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppInstance, listMails, readMail, startAppInstance, waitUntil } from '../e2e/app-instance.ts'
import { openBrowser } from '../e2e/browser.ts'
import { abandonCart, advanceDemoMinute, buy } from '../e2e/demo-shopper.ts'

// A new demo: its history is still being written when visitors arrive, and its guide follows a visitor's first cart.

const ANA = 'ana@shoppers.example'
let instance: AppInstance
let browser: Browser

beforeAll(async () => {
  // Long enough for a visitor to see it being written.
  instance = await startAppInstance({ DEMO_DAYS: '45' })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

async function openVisitor(): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${instance.url}/login`)
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.waitForURL('**/dashboard')
  return page
}

test('an early visitor sees that the history is being written, and the list updates by itself', {
  tags: ['A4.2'],
}, async () => {
  const page = await openVisitor()
  await page.getByRole('link', { name: 'Abandoned Carts', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Abandoned Carts' }).waitFor()
  await page.getByText('Setting up your demo').waitFor()
  await page.getByRole('progressbar', { name: 'Demo setup progress' }).waitFor()
  await page.getByRole('row').nth(10).waitFor({ timeout: 400_000 })
})

test('the guide follows a visitor’s cart until it is bought', { tags: ['A1'] }, async () => {
  const page = await openVisitor()
  const guide = page.getByRole('region', { name: 'Guide to the demo' })
  const findStep = (name: string, outcome = 'done') => guide.locator(`[data-station=${name}][data-outcome=${outcome}]`)
  const shop = await abandonCart(instance, browser, ANA)
  await findStep('email').getByText(ANA).waitFor({ timeout: 60_000 })
  await advanceDemoMinute(instance, ANA)
  await findStep('sent').waitFor({ timeout: 120_000 })
  const toMailbox = await guide.getByRole('link', { name: 'Open the mailbox' }).getAttribute('href')
  expect(new URL(toMailbox!).searchParams.get('to')).toBe(ANA)
  await waitUntil(async () => (await listMails(instance, ANA)).length > 0, 60_000)
  const mail = await readMail(instance, (await listMails(instance, ANA))[0]!.id)
  await shop.goto(/https?:\/\/[^\s"<>]+\/c\/[\w-]+/.exec(mail.html)![0])
  await shop.getByRole('button', { name: 'Continue to checkout' }).click()
  await shop.waitForURL('**/checkout/**')
  await buy(shop, ANA)
  await findStep('bought', 'won').waitFor({ timeout: 120_000 })
  await expect.poll(() => guide.locator('li[data-outcome=done]').count()).toBe(5)
  await guide.getByRole('button', { name: 'Finish' }).click()
  await guide.waitFor({ state: 'detached' })
})
