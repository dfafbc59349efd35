import { expect, test } from 'vitest'
import { me } from '../shared/access/auth.ts'
import {
  cartMessages,
  getCart,
  listAbandonedCarts,
  type MessageView,
  type TimelineEntry,
} from '../shared/carts/carts.ts'
import * as reminders from '../shared/delivery/reminders.ts'
import { previewMessage, testSend } from '../shared/marketing/message-preview.ts'
import { createScreens, NOW, PHONE } from './app.ts'
import { makeAllEligible, prepareSending, sampleCart, subtractHours } from './carts-scene.ts'

// One cart: its panel beside the list, its page with the timeline, and its send dialogs.

const app = createScreens()
const findDialog = (name: string) => app.page.getByRole('dialog', { name })
const findRow = () => app.page.getByRole('row').filter({ hasText: sampleCart.customer_name })
const findCard = (title: string) =>
  findDialog('Cart details')
    .locator('.mantine-Card-root')
    .filter({ has: app.page.getByRole('heading', { level: 2, name: title }) })
/** A toast disappears after four seconds. */
const expectAnnouncement = (text: string, press: () => Promise<unknown>) =>
  Promise.all([app.page.getByRole('alert').filter({ hasText: text }).waitFor(), press()])
const formatMoney = (amount: number) =>
  amount.toLocaleString('en-US', { style: 'currency', currency: sampleCart.currency })

test('details open and close by keyboard beside the list, and show contact, figures and products', {
  tags: ['B2'],
}, async () => {
  prepareSending(app.api)
  const page = await app.open('/carts')
  await page.getByRole('button', { name: sampleCart.customer_name, exact: true }).press('Enter')
  const panel = findDialog('Cart details')
  const titles = ['Products', 'Cart Summary', 'Customer Information', 'Recovery Actions']
  await panel.getByRole('heading', { level: 2, name: 'Recovery Actions' }).waitFor()
  const shown = await panel.getByRole('heading', { level: 2 }).allInnerTexts()
  expect(shown.filter((title) => titles.includes(title))).toEqual(titles)
  await expect.poll(() => page.url()).toContain(`cart=${sampleCart.id}`)

  const customer = await findCard('Customer Information').innerText()
  for (const fact of [sampleCart.customer_name, sampleCart.customer_email!, sampleCart.phone!])
    expect(customer).toContain(fact)
  const summary = (await findCard('Cart Summary').innerText()).split(/\s*\n\s*/)
  expect(summary.slice(0, 5)).toEqual(['Cart Summary', 'Items', '3', 'Total value', '$86.00'])
  expect(summary).toContain('Abandoned')
  expect(summary.slice(summary.indexOf('Status'))).toEqual(['Status', sampleCart.status])
  const lines = findCard('Products').getByRole('listitem')
  await expect.poll(() => lines.count()).toBe(sampleCart.items.length)
  for (const [index, item] of sampleCart.items.entries()) {
    await expect.poll(() => lines.nth(index).locator('img').getAttribute('src')).toBe(item.image_url)
    const text = await lines.nth(index).innerText()
    for (const fact of [item.product_name, `${item.quantity} × ${formatMoney(item.price)}`])
      expect(text).toContain(fact)
  }
  await expect
    .poll(async () => (await findCard('Products').innerText()).split(/\s*\n\s*/).slice(-2))
    .toEqual(['Total', '$86.00'])
  expect(await app.findViolations()).toEqual([])
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  expect(page.url()).not.toContain('cart=')
})

const forms = [
  ['Send Email', 'Send Email Reminder', reminders.sendEmail, 'Failed: Not today.'],
  ['Send SMS', 'Send SMS Reminder', reminders.sendSms, 'Failed to send SMS: Not today.'],
  ['WhatsApp', 'Send WhatsApp Reminder', reminders.sendWhatsapp, 'Failed to send WhatsApp: Not today.'],
] as const

test('the panel’s recovery actions open the dialog of their channel, which shows a refusal', {
  tags: ['B2', 'B8'],
}, async () => {
  prepareSending(app.api)
  const page = await app.open(`/carts?cart=${sampleCart.id}`)
  for (const [label, title, endpoint, refusal] of forms) {
    app.api.fail(endpoint, 422, { error: 'Not today.' })
    await findCard('Recovery Actions').getByRole('button', { name: label, exact: true }).click()
    await findDialog(title).getByText(`To ${sampleCart.customer_name} · `).waitFor()
    await findDialog(title).getByRole('button', { name: 'Send Now', exact: true }).click()
    await findDialog(title).getByText(refusal).waitFor()
    await findDialog(title).getByRole('button', { name: 'Cancel' }).click()
    await findDialog(title).waitFor({ state: 'detached' })
  }
  await page.keyboard.press('Escape')
  app.api.fail(reminders.smsStatus, 422, { error: 'Not today.' })
  await page.getByRole('button', { name: `More for ${sampleCart.customer_name}` }).click()
  await page.getByRole('menuitem', { name: 'Check SMS status' }).click()
  await findDialog('SMS status').getByText('Failed to check SMS status: Not today.').waitFor()
})

test('an email is sent once by keyboard; a second press is ignored, then the list is refetched', {
  tags: ['B2', 'B4', 'B8', 'B9'],
}, async () => {
  prepareSending(app.api)
  await app.page.route('**/socket.io/**', (route) => route.abort())
  app.api.answer(reminders.sendEmail, {
    success: true as const,
    message: reminders.reminderTexts.emailSent,
    state: 'sent',
    messageId: sampleCart.id,
  })
  const sending = app.api.hold(reminders.sendEmail)
  const page = await app.open('/carts')
  await page.getByRole('button', { name: `Send email to ${sampleCart.customer_name}` }).press('Enter')
  const form = findDialog('Send Email Reminder')
  await form.getByText('Ready to send').waitFor()
  await expect.poll(() => form.getByRole('radio', { name: 'Send Now' }).isChecked()).toBe(true)
  await expect.poll(() => form.getByLabel('Subject').inputValue()).toBe('Complete Your Purchase')
  expect(await app.findViolations()).toEqual([])
  const send = form.getByRole('button', { name: 'Send Now' })
  await send.press('Enter')
  await form.getByRole('status').filter({ hasText: 'Sending…' }).waitFor({ state: 'attached' })
  await expect.poll(() => send.isDisabled()).toBe(true)
  await send.click({ force: true })
  const lists = app.api.calls(listAbandonedCarts).length
  await expectAnnouncement('Email sent successfully!', async () => sending.release())
  await expect.poll(() => app.api.calls(listAbandonedCarts).length).toBeGreaterThan(lists)
  await form.waitFor({ state: 'detached' })
  await expect.poll(() => app.api.calls(reminders.sendEmail)).toHaveLength(1)
})

test('a message is previewed, changed, and sent as a test to oneself', async () => {
  prepareSending(app.api)
  const last = { channel: 'email', at: subtractHours(48), subject: 'You left something', outcome: 'opened' } as const
  app.api.answer(reminders.lastMessage, { message: last })
  app.api.answer(testSend, { isAccepted: true, to: 'demo@recoup.example', response: 'OK', couponNote: null })
  const page = await app.open('/carts')
  await page.getByRole('button', { name: `Send email to ${sampleCart.customer_name}` }).click()
  const form = findDialog('Send Email Reminder')
  await form.getByText('Last message: email, 2 days ago, “You left something”, opened').waitFor()
  const mail = form.frameLocator('iframe[title="Email preview"]')
  await mail.getByText('# Your cart').waitFor()
  await form.getByRole('button', { name: 'Change the text' }).click()
  const text = form.getByLabel('Text', { exact: true })
  await text.fill('{{ nonsense }}')
  // Beside the field and in the preview.
  await form
    .getByText(/"nonsense", which does not exist/)
    .nth(1)
    .waitFor()
  await expect.poll(() => text.getAttribute('aria-invalid')).toBe('true')
  await expect.poll(() => form.getByRole('button', { name: 'Send Now' }).last().isDisabled()).toBe(true)
  await text.fill('A word from the kiln: {{ checkout_link }}')
  await mail.getByText('A word from the kiln:').last().waitFor()
  await form.getByText('Phone', { exact: true }).click()
  expect((await form.locator('iframe').boundingBox())!.width).toBeLessThanOrEqual(360)
  expect(await app.findViolations()).toEqual([])
  await form.getByRole('button', { name: 'Send a test to myself' }).click()
  await form.getByText(/^Sent to demo@recoup.example/).waitFor()
  await expect
    .poll(() => app.api.calls(testSend)[0]!.body)
    .toMatchObject({
      cartId: sampleCart.id,
      channel: 'email',
      body: 'A word from the kiln: {{ checkout_link }}',
    })
  await expect.poll(() => app.api.calls(previewMessage).every(({ body }) => body.cartId === sampleCart.id)).toBe(true)
})

test('an email is scheduled in an hour by default, or at a date, which is also sent as an instant', {
  tags: ['B2', 'B5', 'B7', 'B8', 'B9'],
}, async () => {
  prepareSending(app.api)
  app.api.answer(reminders.scheduleReminder, {
    success: true as const,
    message: reminders.reminderTexts.emailScheduled,
    state: 'scheduled',
    messageId: sampleCart.id,
  })
  const page = await app.open('/carts')
  await page.getByRole('button', { name: `More for ${sampleCart.customer_name}` }).press('Enter')
  await page.getByRole('menuitem', { name: 'Schedule email' }).press('Enter')
  const form = findDialog('Send Email Reminder')
  const delay = form.getByLabel('Send in')
  await expect
    .poll(() => delay.locator('option').allInnerTexts())
    .toEqual(['1 hour', '2 hours', '6 hours', '12 hours', '24 hours', '3 days', '7 days', 'Custom date and time'])
  await expect.poll(() => delay.inputValue()).toBe('1')
  const schedule = form.getByRole('button', { name: 'Schedule', exact: true })
  await delay.selectOption('custom')
  await schedule.click()
  await form.getByText('Please select a valid date and time.').waitFor()
  const at = new Date(NOW.getTime() + 50 * 3_600_000).toISOString().slice(0, 16)
  await form.getByLabel('Date and time').fill(at)
  await expectAnnouncement('Email scheduled successfully!', () => schedule.click())
  await expect
    .poll(() => app.api.calls(reminders.scheduleReminder).map(({ sent }) => sent.body))
    .toMatchObject([{ cartId: sampleCart.id, delayHours: 50, sendAt: `${at}:00.000Z`, reminderType: 'first' }])
})

test('a temporarily blocked email can be scheduled, but not sent now', async () => {
  prepareSending(app.api)
  const reason = { reason: 'frequency_cap', explanation: '', count: 1, cartIds: [sampleCart.id], mayOverride: false }
  const until = new Date(NOW.getTime() + 3_600_000).toISOString()
  app.api.answer(reminders.cartEligibility, { ...makeAllEligible([]), total: 1, reasons: [{ ...reason, until }] })
  const page = await app.open('/carts')
  await page.getByRole('button', { name: `More for ${sampleCart.customer_name}` }).press('Enter')
  await page.getByRole('menuitem', { name: 'Schedule email' }).press('Enter')
  const form = findDialog('Send Email Reminder')
  await expect.poll(() => form.getByRole('button', { name: 'Schedule', exact: true }).isEnabled()).toBe(true)
  await form.getByRole('radiogroup', { name: 'When to send' }).getByText('Send Now').click()
  await expect.poll(() => form.getByRole('button', { name: 'Send Now' }).isDisabled()).toBe(true)
})

test('an SMS shows its price before it is sent', { tags: ['B2', 'B8'] }, async () => {
  prepareSending(app.api)
  const price = { total: { amount: 0.0079, currency: 'USD' }, segments: 1, budgetLeft: null }
  app.api.answer(reminders.cartEligibility, { ...makeAllEligible([sampleCart]), price })
  app.api.answer(reminders.sendSms, {
    success: true as const,
    message: reminders.reminderTexts.smsSent,
    state: 'sent',
    messageId: sampleCart.id,
  })
  const page = await app.open('/carts')
  await page.getByRole('button', { name: `Send SMS to ${sampleCart.customer_name}` }).click()
  const form = findDialog('Send SMS Reminder')
  await form.getByText(/^Price: \$0\.0\d+ for 1 segment\./).waitFor()
  expect(await app.findViolations()).toEqual([])
  await expectAnnouncement('SMS sent successfully!', () => form.getByRole('button', { name: 'Send Now' }).click())
})

test('the status of a failed SMS has its attempts and the error', { tags: ['B3'] }, async () => {
  prepareSending(app.api)
  const error = 'This is a landline, or the carrier does not support SMS.'
  const lastSent = '2026-03-02T12:00:00.000Z'
  app.api.answer(reminders.smsStatus, { status: 'failed', attempts: 2, lastSent, delivered: false, error })
  const page = await app.open('/carts')
  await findRow()
    .getByRole('button', { name: `More for ${sampleCart.customer_name}` })
    .click()
  await page.getByRole('menuitem', { name: 'Check SMS status' }).click()
  const facts = findDialog('SMS status').locator('.facts')
  await facts.waitFor()
  await expect
    .poll(() => facts.locator('dt').allInnerTexts())
    .toEqual(['Customer', 'Status', 'Attempts', 'Last sent', 'Delivered', 'Error'])
  const values = await facts.locator('dd').allInnerTexts()
  expect([values[1]!.trim(), values[2], values[4], values[5]]).toEqual(['Failed', '2', 'No', error])
  expect(values[3]).toContain('Mar 2')
})

const formatMinutesFromNow = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000).toISOString()
const buildMessage = (change: Partial<MessageView>): MessageView => ({
  id: crypto.randomUUID(),
  originKind: 'flow',
  originId: crypto.randomUUID(),
  channel: 'email',
  step: 1,
  removedStep: null,
  variant: null,
  forecast: null,
  originName: 'Abandoned cart reminders',
  state: 'scheduled',
  reason: null,
  explanation: '',
  dueAt: formatMinutesFromNow(0),
  expiresAt: formatMinutesFromNow(9_000),
  sentAt: null,
  deliveredAt: null,
  readAt: null,
  finishedAt: null,
  to: null,
  subject: null,
  html: null,
  response: null,
  decisions: [],
  ...change,
})
const buildSent = (minutes: number, change: Partial<MessageView>) =>
  buildMessage({
    state: 'sent',
    dueAt: formatMinutesFromNow(minutes),
    sentAt: formatMinutesFromNow(minutes),
    ...change,
  })
const buildEvent = (minutes: number, title: string): TimelineEntry => ({
  at: formatMinutesFromNow(minutes),
  kind: 'event',
  title,
  text: '',
  messageId: null,
})
const skipped: Partial<MessageView> = {
  originKind: 'campaign',
  originName: 'Autumn sale',
  state: 'skipped',
  finishedAt: formatMinutesFromNow(-200),
  explanation: 'The person got as many messages as the limit allows.',
}

test('the timeline orders messages and events: the next message first, a skipped one with its reason', {
  tags: ['A2.1'],
}, async () => {
  app.api.answer(getCart, { cart: sampleCart })
  app.api.answer(cartMessages, {
    messages: [
      buildMessage({ step: 3, dueAt: formatMinutesFromNow(3_900) }),
      buildMessage({
        step: 2,
        dueAt: formatMinutesFromNow(235),
        variant: 'B',
        forecast: { channel: 'sms', isExpected: true, explanation: 'By email: No email address was captured in time.' },
      }),
      buildSent(-400, {}),
      buildMessage(skipped),
      buildSent(-100, { originKind: 'manual', originName: 'Manual' }),
      buildSent(-50, { originKind: 'manual', originName: 'Discount mail' }),
    ],
    timeline: [buildEvent(-500, 'Cart abandoned'), buildEvent(-300, 'Link clicked'), buildEvent(-70, 'Coupon used')],
    order: null,
    flow: { id: crypto.randomUUID(), name: 'Left pots', isOn: false },
  } as Parameters<typeof app.api.answer<typeof cartMessages>>[1])
  const page = await app.open(`/carts/${sampleCart.id}`)
  await page.getByRole('heading', { level: 3, name: 'Autumn sale' }).waitFor()
  await expect
    .poll(async () => (await page.getByRole('main').getByRole('heading', { level: 2 }).allInnerTexts())[0])
    .toBe('Products')
  const parts = await page.locator('.story').first().locator(':scope > li').allInnerTexts()
  expect(parts.map((text) => text.split('\n')[0])).toEqual([
    'Reminder 2 by SMS, in 3 h',
    'Reminder 3 by email, in 2 days',
    'Discount mail',
    'Coupon used',
    'Manual email',
    'Autumn sale',
    'Link clicked',
    'Reminder 1 by email',
    'Cart abandoned',
  ])
  const next = page.getByRole('region', { name: 'Reminder 2 by SMS' })
  await next.getByText('Forecast: will be sent by SMS. By email: No email address was captured in time.').waitFor()
  await expect.poll(() => next.getByRole('definition').allInnerTexts()).toContain('B')
  const campaign = page.getByRole('region', { name: 'Autumn sale' })
  await campaign.getByText('Not sent').waitFor()
  await campaign.getByText(skipped.explanation!).waitFor()
  expect(await app.findViolations()).toEqual([])
  await page.setViewportSize(PHONE)
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
})

test('a viewer sees a cart without send actions', async () => {
  prepareSending(app.api)
  app.api.alter(me, ({ user }) => ({ user: { ...user, role: 'viewer' as const } }))
  await app.open(`/carts?cart=${sampleCart.id}`)
  await findCard('Products').waitFor()
  await expect.poll(() => app.page.getByRole('button', { name: /^Send/ }).count()).toBe(0)
})
