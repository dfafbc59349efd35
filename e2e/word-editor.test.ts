import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushTexts } from '../shared/push.ts'
import { openPushService, type Registration } from '../test/contract-servers/push/server.ts'
import { pushInPage } from '../test/push-in-page.ts'
import { aBrowser } from '../test/push-scene.ts'
import { mailsTo, readMail, until } from './app-instance.ts'
import { api, beginVisit, dialog, endVisit, instance, open, page, search, waiting } from './carts/visit.ts'
import { checkInEveryTheme } from './every-theme.ts'
import { openStep, panelOf } from './flow-steps.ts'
import { reach } from './keys.ts'

// The one editor of words, in each place that has it, on the demo's 90 days.

beforeAll(async () => {
  await beginVisit()
  const [startDate, endDate] = [-1, 7].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  await api('/api/coupons', { code: 'POT', kind: 'personal', type: 'percentage', amount: 10, startDate, endDate })
}, 420_000)
afterAll(endVisit)

const NOTE = 'POT-EXAMPLE is an example. Each message gets a code of its own.'
const shown = (within: Locator) => within.getByRole('region', { name: 'Preview' })
const mailIn = (within: Locator) => within.frameLocator('iframe[title="Email preview"]')
const ground = (within: Locator) =>
  mailIn(within)
    .locator('body')
    .evaluate((body) => getComputedStyle(body).backgroundColor)

async function choosePot(within: Locator) {
  await within.getByRole('combobox', { name: 'Coupon' }).click()
  await page.getByRole('option', { name: /^POT-/ }).click()
}

/** Desktop and phone, light and dark, and the text part. */
async function lookAtAll(within: Locator) {
  const preview = shown(within)
  const light = await ground(within)
  await preview.getByText('Dark', { exact: true }).click()
  await expect.poll(() => ground(within)).not.toBe(light)
  await preview.getByText('Light', { exact: true }).click()
  await expect.poll(() => ground(within)).toBe(light)
  await preview.getByText('Phone', { exact: true }).click()
  await expect.poll(async () => (await within.locator('iframe').boundingBox())!.width).toBeLessThanOrEqual(360)
  await preview.getByText('Plain text', { exact: true }).click()
  await preview.locator('pre').waitFor()
  expect(await preview.getByRole('radiogroup', { name: 'Colors' }).count()).toBe(0)
  await preview.getByText('Desktop', { exact: true }).click()
}

/** Sends it to oneself, and reads it in the mailbox. */
async function tryOut(within: Locator, subject: string): Promise<string> {
  await within.getByRole('button', { name: 'Send a test to myself' }).click()
  const [, to] = /^Sent to (\S+)\. /.exec(await within.getByText(/^Sent to /).innerText())!
  const found = async () => (await mailsTo(instance, to!)).find((mail) => mail.subject === `[Test] ${subject}`)
  await until(async () => (await found()) !== undefined, 20_000)
  return (await readMail(instance, (await found())!.id)).text
}

test('in a step of a flow: variables at the cursor by keyboard, what is none is marked, and a test with an example of a code', async () => {
  await page.goto(`${instance.url}/flows`)
  await page.locator('a[href^="/flows/"]').first().click()
  await openStep(page, 1)
  const step = panelOf(page)
  const [subject, text] = [step.getByLabel('Subject'), step.getByLabel('Text', { exact: true })]
  await subject.fill('For {{ nobody }}')
  await step.getByText('There is no variable nobody. Select one of those below.').waitFor()
  expect(await subject.getAttribute('aria-invalid')).toBe('true')
  await subject.fill('For ')
  await page.keyboard.press('End')
  await reach(step.getByRole('button', { name: 'customer_name', exact: true }))
  await page.keyboard.press('Enter')
  await expect.poll(() => subject.inputValue()).toBe('For {{ customer_name }}')
  await text.fill('ab')
  await page.keyboard.press('ArrowLeft')
  await reach(step.getByRole('button', { name: 'coupon_code', exact: true }))
  await page.keyboard.press('Enter')
  await expect.poll(() => text.inputValue()).toBe('a{{ coupon_code }}b')
  await page.keyboard.type('!')
  await expect.poll(() => text.inputValue()).toBe('a{{ coupon_code }}!b')
  await text.fill('Your code is {{ coupon_code }}.\n\n{{ checkout_link }}')
  await choosePot(step)
  const cart = waiting[0]!
  await step.getByRole('combobox', { name: 'For the cart of' }).fill(cart.customer_email!)
  await page
    .getByRole('option', { name: new RegExp(cart.customer_email!) })
    .first()
    .click()
  await shown(step)
    .getByText(`For ${cart.customer_name.split(' ')[0]}`)
    .waitFor()
  await shown(step).getByText(NOTE).waitFor()
  await mailIn(step).getByText('Your code is POT-EXAMPLE.').last().waitFor()
  await lookAtAll(step)
  const mail = await tryOut(step, `For ${cart.customer_name.split(' ')[0]}`)
  for (const part of [NOTE, 'Your code is POT-EXAMPLE.']) expect(mail).toContain(part)
  await step.getByText(NOTE).nth(1).waitFor()
  expect(
    (await mailsTo(instance, cart.customer_email!)).filter(({ subject: said }) => said.startsWith('[Test]')),
  ).toEqual([])
  await checkInEveryTheme(page, 'word-editor-flow')
  await page.getByRole('button', { name: 'Discard' }).click()
})

test('in an SMS of a flow: how long it is, and the same in plain signs', async () => {
  const step = panelOf(page)
  await step.getByRole('radiogroup', { name: 'Channel' }).getByText('SMS', { exact: true }).click()
  const text = step.getByLabel('Text', { exact: true })
  await text.fill('Hi {{ customer_name }} – your cart at {{ store_name }} is “still” here: {{ checkout_link }}')
  await shown(step).getByRole('button', { name: 'Use plain characters' }).click()
  await expect.poll(() => text.inputValue()).toContain('is "still" here')
  await shown(step)
    .getByText(/^1 segment/)
    .waitFor()
  await checkInEveryTheme(page, 'word-editor-flow-sms')
  await step.getByRole('radiogroup', { name: 'Channel' }).getByText('WhatsApp', { exact: true }).click()
  const way = step.getByRole('link', { name: /^Choose (a template|another one)$/ })
  expect(await way.getAttribute('href')).toBe('/settings/sending/whatsapp')
  await page.getByRole('button', { name: 'Discard' }).click()
})

test('in a notification of a flow: a test to this browser, and what its push service answers', async () => {
  const service = await openPushService()
  const step = panelOf(page)
  const name = step.getByRole('button', { name: 'customer_name', exact: true })
  await name.waitFor()
  await step.getByRole('radiogroup', { name: 'Channel' }).getByText('Push', { exact: true }).click()
  await expect.poll(() => name.count()).toBe(0)
  await step.getByLabel('Title', { exact: true }).fill('At {{ store_name }}')
  await step.getByLabel('Text', { exact: true }).fill('{{ customer_name }}, your cart waits')
  await step.getByText(/^Notifications name nobody/).waitFor()
  const send = step.getByRole('button', { name: 'Send a test to this browser' })
  await expect.poll(() => send.isEnabled()).toBe(true)
  // Chromium has no push service here: the browser's half is made up, the service is a strict one.
  const made: Registration[] = []
  await page.exposeFunction('subscribeThere', (key: string) => {
    const { keys, auth, subscription } = aBrowser()
    made.push(service.register({ keys, auth }, key))
    return { ...subscription, endpoint: made.at(-1)!.endpoint, expirationTime: null }
  })
  await page.evaluate(pushInPage, 'denied')
  await send.click()
  await step.getByText('This browser does not allow notifications from Recoup.').waitFor()
  expect(made).toEqual([])
  await page.evaluate(pushInPage, 'granted')
  // A press within a second of another is the second half of a double click.
  const pressUntil = async (words: string | RegExp) => {
    const said = step.getByText(words)
    const press = async () => {
      if ((await said.count()) === 0) await send.click()
      return said.count()
    }
    await expect.poll(press, { interval: 1_200, timeout: 30_000 }).toBe(1)
  }
  await pressUntil(pushTexts.sentHere)
  expect(service.seen[0]).toMatchObject({ status: 201, payload: { title: '[Test] At Maple & Clay' } })
  expect(service.seen[0]!.payload).not.toHaveProperty('token')
  service.fault = () => ({ status: 410 })
  await pressUntil(/^Refused by this browser’s push service\. 410/)
  await page.getByRole('button', { name: 'Discard' }).click()
  await service.close()
})

test('in a mail by hand', async () => {
  const cart = waiting[0]!
  await open()
  await search(cart.customer_email!)
  await page.getByRole('button', { name: `Send email to ${cart.customer_name}` }).click()
  const form = dialog('Send Email Reminder')
  await form.getByLabel('Subject').fill('{{ nobody }}')
  await form.getByText('There is no variable nobody.', { exact: true }).waitFor()
  await form.getByLabel('Subject').fill('By hand')
  await form.getByRole('button', { name: 'Change the text' }).click()
  const text = form.getByLabel('Text', { exact: true })
  await text.fill('A word from the kiln: {{ nobody }}')
  await form.getByText('There is no variable nobody. Select one of those below.').waitFor()
  await text.fill('A word from the kiln: ')
  await page.keyboard.press('End')
  await reach(form.getByRole('button', { name: 'checkout_link', exact: true }))
  await page.keyboard.press('Enter')
  await expect.poll(() => text.inputValue()).toBe('A word from the kiln: {{ checkout_link }}')
  await mailIn(form).getByText('A word from the kiln:').last().waitFor()
  await lookAtAll(form)
  expect(await tryOut(form, 'By hand')).toContain('A word from the kiln:')
  await checkInEveryTheme(page, 'word-editor-by-hand', '[role=dialog]')
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
})

test('in a discount mail: a test to oneself as the customer would get it, with an example of a code', async () => {
  await page.goto(`${instance.url}/carts/${waiting[0]!.id}`)
  await page.getByRole('button', { name: 'Send Discount Mail' }).click()
  const form = dialog('Send Discount Mail')
  await choosePot(form)
  await form.getByLabel('Subject').fill('{{ nobody }}')
  await form.getByText('There is no variable nobody. Select one of those below.').waitFor()
  await form.getByLabel('Subject').fill('Ten off')
  await shown(form).getByText('Ten off', { exact: true }).waitFor()
  await shown(form).getByText(NOTE).waitFor()
  await lookAtAll(form)
  const mail = await tryOut(form, 'Ten off')
  for (const part of [NOTE, 'Your code is POT-EXAMPLE.']) expect(mail).toContain(part)
  await checkInEveryTheme(page, 'word-editor-discount', '[role=dialog]')
  await form.getByRole('button', { name: 'Cancel' }).click()
  await dialog('Leave without sending?').getByRole('button', { name: 'Leave' }).click()
  await form.waitFor({ state: 'detached' })
})

test('in a campaign: the hint at WhatsApp’s templates is a way to them, and nothing typed is lost unasked', async () => {
  await page.goto(`${instance.url}/campaigns?form=new`)
  const form = dialog('Create New Campaign')
  await form.getByLabel('Campaign name').fill('By WhatsApp')
  await form.getByText('WhatsApp', { exact: true }).click()
  for (const name of ['Target Audience', 'Message']) {
    await form.getByRole('button', { name: 'Next' }).click()
    await form.getByRole('heading', { name }).waitFor()
  }
  const way = form.getByRole('link', { name: /^Choose (a template|another one)$/ })
  await checkInEveryTheme(page, 'word-editor-whatsapp', '[role=dialog]')
  await way.click()
  const asked = dialog('Leave without saving?')
  await asked.waitFor()
  await page.keyboard.press('Escape')
  await asked.waitFor({ state: 'detached' })
  await form.waitFor()
  await way.click()
  await asked.getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL('**/settings/sending/whatsapp')
})
