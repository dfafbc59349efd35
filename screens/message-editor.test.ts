import type { Locator } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { findStepPanel, openStep } from '../e2e/flow-steps.ts'
import { pressTabTo } from '../e2e/keys.ts'
import { listAbandonedCarts } from '../shared/carts/carts.ts'
import { listCoupons } from '../shared/carts/coupons.ts'
import { pushTexts } from '../shared/delivery/push.ts'
import { readVapidKey, sendToThisBrowser } from '../shared/delivery/push-calls.ts'
import { lastMessage, SAMPLE_CART } from '../shared/delivery/reminders.ts'
import { previewDiscount, testDiscount } from '../shared/marketing/discount-mail.ts'
import { previewFlow } from '../shared/marketing/flows.ts'
import { previewMessage, testSend } from '../shared/marketing/message-preview.ts'
import { measureSms } from '../shared/messages/sms.ts'
import { stubPushInPage } from '../test/push-in-page.ts'
import { SAMPLE_LABEL } from '../web/kits/manual-sends/sending.ts'
import { fixture } from './api.ts'
import { createScreens } from './app.ts'
import { buildPreview, serveFlows } from './flows-api.ts'
import { serveRecipients } from './recipients.ts'

// The message editor, in each place that uses it: variables, preview, and a test to oneself.

const app = createScreens()
const NOTE = 'CART-EXAMPLE is an example. Each message gets a code of its own.'
const [cart] = fixture(listAbandonedCarts).carts
const coupon = fixture(listCoupons).coupons.find(({ code }) => code === 'CART')!
const accepted = { isAccepted: true, to: 'demo@recoup.example', response: '250 OK', couponNote: null }

beforeEach(() => {
  serveFlows(app.api)
  serveRecipients(app.api)
  app.api.answer(readVapidKey, { success: true, publicKey: 'BPublicKey' })
  app.api.answer(lastMessage, { message: null })
  app.api.answer(testSend, ({ body }) => ({ ...accepted, couponNote: body.coupon ? NOTE : null }))
  app.api.answer(testDiscount, { ...accepted, couponNote: NOTE })
})

const findDialog = (name: string) => app.page.getByRole('dialog', { name })
const findPreviewIn = (within: Locator) => within.getByRole('region', { name: 'Preview' })
const findMailIn = (within: Locator) => within.frameLocator('iframe[title="Email preview"]')
const findGround = (within: Locator) =>
  findMailIn(within)
    .locator('body')
    .evaluate((body) => getComputedStyle(body).backgroundColor)
const findTextIn = (within: Locator) => within.getByLabel('Text', { exact: true })
const unknown = (within: Locator, rest = '') => within.getByText(`There is no variable nobody.${rest}`, { exact: true })

async function openFlowStep(channel?: string): Promise<Locator> {
  await app.open('/flows/:flowId')
  await openStep(app.page, 1)
  const step = findStepPanel(app.page)
  if (channel) await step.getByRole('radiogroup', { name: 'Channel' }).getByText(channel, { exact: true }).click()
  return step
}

async function chooseCoupon(within: Locator) {
  await within.getByRole('combobox', { name: 'Coupon' }).click()
  await app.page.getByRole('option', { name: /^CART-/ }).click()
}

/** Desktop and phone, light and dark, and the text part. */
async function checkViews(within: Locator) {
  const preview = findPreviewIn(within)
  const light = await findGround(within)
  await preview.getByText('Dark', { exact: true }).click()
  await expect.poll(() => findGround(within)).not.toBe(light)
  await preview.getByText('Light', { exact: true }).click()
  await expect.poll(() => findGround(within)).toBe(light)
  await preview.getByText('Phone', { exact: true }).click()
  await expect.poll(async () => (await within.locator('iframe').boundingBox())!.width).toBeLessThanOrEqual(360)
  await preview.getByText('Plain text', { exact: true }).click()
  await preview.locator('pre').waitFor()
  await expect.poll(() => preview.getByRole('radiogroup', { name: 'Colors' }).count()).toBe(0)
  await preview.getByText('Desktop', { exact: true }).click()
}

async function sendTest(within: Locator) {
  await within.getByRole('button', { name: 'Send a test to myself' }).click()
  await within.getByText('Sent to demo@recoup.example. It arrives in a moment.').waitFor()
}

describe('in a step of a flow', () => {
  test('variables are inserted at the cursor by keyboard, and unknown ones are marked', async () => {
    const step = await openFlowStep()
    const [subject, text] = [step.getByLabel('Subject'), findTextIn(step)]
    await subject.fill('For {{ nobody }}')
    await unknown(step, ' Select one of those below.').waitFor()
    await expect.poll(() => subject.getAttribute('aria-invalid')).toBe('true')
    await subject.fill('For ')
    await app.page.keyboard.press('End')
    await pressTabTo(step.getByRole('button', { name: 'customer_name', exact: true }))
    await app.page.keyboard.press('Enter')
    await expect.poll(() => subject.inputValue()).toBe('For {{ customer_name }}')
    await expect.poll(() => subject.getAttribute('aria-invalid')).not.toBe('true')
    await text.fill('ab')
    await app.page.keyboard.press('ArrowLeft')
    await pressTabTo(step.getByRole('button', { name: 'coupon_code', exact: true }))
    await app.page.keyboard.press('Enter')
    await expect.poll(() => text.inputValue()).toBe('a{{ coupon_code }}b')
    await app.page.keyboard.type('!')
    await expect.poll(() => text.inputValue()).toBe('a{{ coupon_code }}!b')
  })

  test('the email is previewed for a chosen cart and sent as a test, with an example code', async () => {
    app.api.answer(listAbandonedCarts, ({ query: { search = '' } }) => {
      const reply = fixture(listAbandonedCarts)
      return { ...reply, carts: reply.carts.filter(({ customer_email: email }) => email!.includes(search)) }
    })
    app.api.answer(previewFlow, ({ body: { subject, body, coupon: chosen } }) =>
      buildPreview(subject, body, { couponNote: chosen ? NOTE : null }),
    )
    const step = await openFlowStep()
    await step.getByLabel('Subject').fill('For {{ customer_name }}')
    await findTextIn(step).fill('Your code is {{ coupon_code }}.')
    await chooseCoupon(step)
    await step.getByRole('combobox', { name: 'For the cart of' }).fill(cart!.customer_email!)
    await app.page
      .getByRole('option', { name: new RegExp(cart!.customer_email!) })
      .first()
      .click()
    await findPreviewIn(step).getByText('For Olivia').waitFor()
    await findPreviewIn(step).getByText(NOTE).waitFor()
    await findMailIn(step).getByText('Your code is CART-EXAMPLE.').waitFor()
    await expect
      .poll(() => app.api.calls(previewFlow).at(-1)!.body)
      .toMatchObject({
        cartId: cart!.id,
        channel: 'email',
        coupon: { couponId: coupon._id },
        subject: 'For {{ customer_name }}',
        body: 'Your code is {{ coupon_code }}.',
      })
    await checkViews(step)
    await sendTest(step)
    await step.getByText(NOTE).nth(1).waitFor()
    await expect
      .poll(() => app.api.calls(testSend).map(({ body }) => body))
      .toMatchObject([
        {
          cartId: cart!.id,
          channel: 'email',
          coupon: { couponId: coupon._id },
          subject: 'For {{ customer_name }}',
          body: 'Your code is {{ coupon_code }}.',
        },
      ])
    await app.waitUntilSettled()
    expect(await app.findViolations('.step-panel')).toEqual([])
  })

  test('the email is previewed and tested for the sample cart', async () => {
    const step = await openFlowStep()
    await step.getByRole('button', { name: 'Send a test to myself' }).waitFor()
    await step.getByRole('combobox', { name: 'For the cart of' }).click()
    await app.page.getByRole('option', { name: SAMPLE_LABEL }).click()
    await expect.poll(() => app.api.calls(previewFlow).at(-1)!.body.cartId).toBe(SAMPLE_CART)
    await step.getByRole('button', { name: 'Send a test to myself' }).click()
    await expect.poll(() => app.api.calls(testSend).at(-1)?.body.cartId).toBe(SAMPLE_CART)
  })

  test('an SMS shows its length and offers plain characters that make it shorter', async () => {
    const buildReply = ({ body: { body = '' } }: { body: { body?: string | undefined } }) => {
      const message = buildPreview('', body)
      return { ...message, html: '', segments: measureSms(message.text).segments, words: { subject: '', body } }
    }
    app.api.answer(previewFlow, buildReply)
    app.api.answer(previewMessage, buildReply)
    const step = await openFlowStep('SMS')
    await findTextIn(step).fill(
      'Hi {{ customer_name }} – your cart at {{ store_name }} is “still” here: {{ checkout_link }}',
    )
    await findPreviewIn(step).getByRole('button', { name: 'Use plain characters' }).click()
    await expect.poll(() => findTextIn(step).inputValue()).toContain('is "still" here')
    await findPreviewIn(step)
      .getByText(/^1 segment/)
      .waitFor()
    expect(await app.findViolations('.step-panel')).toEqual([])
    await step.getByRole('radiogroup', { name: 'Channel' }).getByText('WhatsApp', { exact: true }).click()
    const link = step.getByRole('link', { name: 'Choose another one' })
    await expect.poll(() => link.getAttribute('href')).toBe('/settings/sending/whatsapp')
  })

  test('a notification is tested in this browser, with the reply of its push service', async () => {
    app.api.answer(sendToThisBrowser, { success: true, message: pushTexts.sentHere })
    const step = await openFlowStep('Push')
    await expect.poll(() => step.getByRole('button', { name: 'customer_name', exact: true }).count()).toBe(0)
    await step.getByLabel('Title', { exact: true }).fill('At {{ store_name }}')
    await findTextIn(step).fill('{{ customer_name }}, your cart waits')
    await step.getByText(/^Notifications never contain the customer’s name/).waitFor()
    const send = step.getByRole('button', { name: 'Send a test to this browser' })
    await expect.poll(() => send.isEnabled()).toBe(true)
    // Chromium has no push service here, so the test fakes the subscription.
    await app.page.evaluate(stubPushInPage, 'denied')
    await app.page.evaluate(() => {
      const registration = { active: {}, pushManager: Object.create(PushManager.prototype) }
      navigator.serviceWorker.register = async () => registration as ServiceWorkerRegistration
    })
    await send.click()
    await step.getByText('This browser does not allow notifications from Recoup.').waitFor()
    expect(app.api.calls(sendToThisBrowser)).toEqual([])
    await app.page.evaluate(stubPushInPage, 'granted')
    // A press within a second of another counts as a double click.
    const pressUntil = (text: string) =>
      expect
        .poll(
          async () => {
            if ((await step.getByText(text).count()) === 0) await send.click()
            return step.getByText(text).count()
          },
          { interval: 1_200 },
        )
        .toBe(1)
    await pressUntil(pushTexts.sentHere)
    await expect
      .poll(() => app.api.calls(sendToThisBrowser)[0]!.body)
      .toMatchObject({
        ...{ title: 'At Maple & Clay', body: 'Olivia, your cart waits', storeUrl: 'https://maple-clay.example' },
        subscription: { endpoint: expect.stringMatching(/^https:/) },
      })
    app.api.answer(sendToThisBrowser, { success: false, message: '410 Gone' })
    await pressUntil('Refused by this browser’s push service. 410 Gone')
  })
})

test('in an email to one cart: its text is changed, previewed and sent as a test', async () => {
  await app.open('/carts')
  await app.page.getByRole('button', { name: `Send email to ${cart!.customer_name}` }).click()
  const form = findDialog('Send Email Reminder')
  await form.getByLabel('Subject').fill('{{ nobody }}')
  await unknown(form).waitFor()
  await form.getByLabel('Subject').fill('By hand')
  await form.getByRole('button', { name: 'Change the text' }).click()
  await findTextIn(form).fill('A word from the kiln: {{ nobody }}')
  await unknown(form, ' Select one of those below.').waitFor()
  await findTextIn(form).fill('A word from the kiln: ')
  await app.page.keyboard.press('End')
  await pressTabTo(form.getByRole('button', { name: 'checkout_link', exact: true }))
  await app.page.keyboard.press('Enter')
  await expect.poll(() => findTextIn(form).inputValue()).toBe('A word from the kiln: {{ checkout_link }}')
  await findMailIn(form).getByText('A word from the kiln:').waitFor()
  await checkViews(form)
  await sendTest(form)
  await expect
    .poll(() => app.api.calls(testSend).map(({ body }) => body))
    .toMatchObject([
      { cartId: cart!.id, channel: 'email', subject: 'By hand', body: 'A word from the kiln: {{ checkout_link }}' },
    ])
  expect(await app.findViolations('[role=dialog]')).toEqual([])
})

test('in a discount mail: it is previewed and sent as a test, with an example code', async () => {
  app.api.answer(previewDiscount, ({ body: { subject = '' } }) => buildPreview(subject, 'Ten', { couponNote: NOTE }))
  await app.open(`/customers/:customerId`)
  await app.page.getByRole('button', { name: 'Send discount' }).click()
  const form = findDialog('Send Discount Mail')
  await chooseCoupon(form)
  await form.getByLabel('Subject').fill('{{ nobody }}')
  await unknown(form, ' Select one of those below.').waitFor()
  await form.getByLabel('Subject').fill('Ten off')
  await findPreviewIn(form).getByText('Ten off', { exact: true }).waitFor()
  await findPreviewIn(form).getByText(NOTE).waitFor()
  await checkViews(form)
  await sendTest(form)
  await form.getByText(NOTE).nth(1).waitFor()
  await expect
    .poll(() => app.api.calls(testDiscount).map(({ body }) => body))
    .toMatchObject([{ couponId: coupon._id, subject: 'Ten off' }])
  expect(await app.findViolations('[role=dialog]')).toEqual([])
})

test('in a WhatsApp campaign: the link to the templates confirms before leaving', async () => {
  await app.open('/campaigns?form=new')
  const form = findDialog('Create New Campaign')
  await form.getByLabel('Campaign name').fill('By WhatsApp')
  await form.getByText('WhatsApp', { exact: true }).click()
  for (const name of ['Target Audience', 'Message']) {
    await form.getByRole('button', { name: 'Next' }).click()
    await form.getByRole('heading', { name }).waitFor()
  }
  const link = form.getByRole('link', { name: 'Choose another one' })
  expect(await app.findViolations('[role=dialog]')).toEqual([])
  await link.click()
  const question = findDialog('Leave without saving?')
  await question.waitFor()
  await app.page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  await form.waitFor()
  await link.click()
  await question.getByRole('button', { name: 'Leave' }).click()
  await app.page.waitForURL('**/settings/sending/whatsapp')
})
