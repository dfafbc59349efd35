import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { getCart, listAbandonedCarts } from '../shared/carts/carts.ts'
import { listCoupons } from '../shared/carts/coupons.ts'
import { lastMessage, readBulkSend } from '../shared/delivery/reminders.ts'
import { listCustomers, readCustomer } from '../shared/marketing/customers.ts'
import { discountTexts, sendDiscountOffers } from '../shared/marketing/discount-mail.ts'
import { fixture } from './api.ts'
import { createScreens } from './app.ts'
import { buildName, recipients, serveRecipients } from './recipients.ts'

// The discount mail: recipients and coupon are chosen, previewed and sent; from a customer's or cart's page to that
// person.

const app = createScreens()
const CODE = 'TEA15'
const coupon = fixture(listCoupons).coupons.find(({ code }) => code === CODE)!
const [first] = recipients
const NAME = buildName(first!)
const jobId = randomUUID()

beforeEach(() => {
  serveRecipients(app.api)
  app.api.answer(listCustomers, () => {
    const customers = recipients.map(({ cart_id: _, cart_value: __, currency: ___, ...customer }) => customer)
    return { customers, pagination: { page: 1, limit: 50, total: customers.length, pages: 1 } }
  })
})

const findForm = () => app.page.getByRole('dialog', { name: 'Send Discount Mail' })
const findCustomers = () => findForm().getByRole('region', { name: 'Customers' })
const findPreview = () => findForm().getByRole('region', { name: 'Preview' })
const send = (count: number) =>
  findForm().getByRole('button', { name: `Send to ${count} customer${count === 1 ? '' : 's'}` })
const waitForText = (text: string | RegExp) => findForm().getByText(text).first().waitFor()
const listSent = () => app.api.calls(sendDiscountOffers).map(({ body }) => body)

async function openForm() {
  await app.open('/coupons')
  await app.page.getByRole('button', { name: 'Send Discount Mail' }).click()
  await findCustomers().getByRole('checkbox').first().waitFor()
}

async function chooseCoupon() {
  await findForm().getByRole('combobox', { name: 'Coupon' }).click()
  await app.page.getByRole('option', { name: new RegExp(CODE) }).click()
}

const chooseFirst = () => findCustomers().getByRole('checkbox', { name: NAME, exact: true }).press('Space')

test('without a usable coupon, the form links to creating one', async () => {
  app.api.alter(listCoupons, (reply) => ({ ...reply, coupons: [] }))
  await openForm()
  await expect
    .poll(() => findForm().getByRole('link', { name: 'Create a coupon' }).getAttribute('href'))
    .toBe('/coupons?form=new')
})

test('sends nothing without a customer and a coupon, and asks for both', async () => {
  await openForm()
  await waitForText('No one is selected yet')
  await send(0).click()
  await waitForText('Please select at least one customer.')
  await waitForText(discountTexts.noCoupon)
  await chooseFirst()
  await waitForText('Choose a coupon to see the message with it.')
  await expect.poll(() => findForm().getByText('Ready to send').count()).toBe(0)
  await send(1).click()
  expect(listSent()).toEqual([])
})

test('another search or filter clears "select all" and announces it', async () => {
  const all = recipients.length
  const selectAll = () =>
    findForm()
      .getByRole('button', { name: `Select all ${all}` })
      .click()
  await openForm()
  await selectAll()
  await waitForText(`${all} customers selected`)
  await waitForText(`${all} of ${all} customers would get this email now.`)
  await findForm().getByRole('button', { name: 'Deselect all' }).click()
  await waitForText('No one is selected yet')
  await selectAll()
  await findCustomers().getByRole('searchbox').fill('zzzz')
  await app.page.keyboard.press('Enter')
  await waitForText(/the selection was cleared/)
  await findCustomers().getByRole('button', { name: 'Clear search' }).click()
  await findCustomers().getByRole('checkbox').first().check()
  await findForm()
    .getByText(/the selection was cleared/)
    .waitFor({ state: 'detached' })
  await selectAll()
  await findCustomers().getByText('All customers').click()
  await send(0).waitFor()
})

test('confirms before discarding the user’s own text', async () => {
  await openForm()
  await findForm().getByLabel('Subject').fill('My own words')
  await app.page.keyboard.press('Escape')
  const question = app.page.getByRole('dialog', { name: 'Close without sending?' })
  await question.waitFor()
  await app.page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  await expect.poll(() => findForm().getByLabel('Subject').inputValue()).toBe('My own words')
  await findForm().getByRole('button', { name: 'Cancel' }).click()
  await question.getByRole('button', { name: 'Leave' }).click()
  await findForm().waitFor({ state: 'detached' })
})

test('marks a refused cart URL until it is changed', async () => {
  const { foreignCartUrl: refusal } = discountTexts
  app.api.fail(sendDiscountOffers, 422, { error: refusal, code: 'unprocessable', fields: { cartUrl: refusal } })
  await openForm()
  await chooseFirst()
  await chooseCoupon()
  await waitForText('Ready to send')
  await findForm().getByLabel('Cart URL (optional)').fill('https://elsewhere.example/cart')
  await send(1).click()
  await waitForText(refusal)
  await expect.poll(() => findForm().getByText('Ready to send').count()).toBe(0)
  await findForm().getByLabel('Cart URL (optional)').fill('')
  await findForm().getByText(refusal).first().waitFor({ state: 'detached' })
  await waitForText('Ready to send')
})

test('previews for the chosen customer, and shows a result for each customer after sending', {
  tags: ['B2', 'B8'],
}, async () => {
  app.api.answer(sendDiscountOffers, { jobId })
  app.api.answer(readBulkSend, {
    jobId,
    channel: 'email',
    isDiscount: true,
    state: 'done',
    createdAt: '2026-11-28T22:40:00.000Z',
    sendAt: null,
    total: 1,
    done: 1,
    counts: { waiting: 0, sent: 1, unknown: 0, failed: 0 },
    retryable: 0,
    results: [
      {
        cartId: first!.cart_id,
        shopperId: first!._id,
        customer: NAME,
        to: first!.customer_email,
        messageId: randomUUID(),
        outcome: 'sent',
        reason: null,
        explanation: 'The mail server accepted it.',
      },
    ],
    pagination: { page: 1, limit: 10, total: 1, pages: 1 },
  })
  await openForm()
  await chooseFirst()
  await waitForText('1 customer selected')
  await chooseCoupon()
  await findPreview().getByText('Plain text', { exact: true }).click()
  await expect.poll(() => findPreview().locator('pre').innerText()).toContain('Olivia')
  expect(await app.findViolations('[role=dialog]')).toEqual([])
  await send(1).click()
  await waitForText('Discount emails sent successfully!')
  await findForm().getByRole('button', { name: 'Results' }).click()
  await findForm().getByRole('list', { name: 'Results by customer' }).getByText(first!.customer_email!).waitFor()
  // Default content is not the user's own text: the server's is sent.
  await expect.poll(() => listSent()).toEqual([{ customers: [first!._id], couponId: coupon._id }])
  const [call] = app.api.calls(sendDiscountOffers)
  expect(call!.sent.headers['idempotency-key']).toEqual(expect.any(String))
})

test.each([
  ['in the words of the server', 422, { error: 'In its own words.', code: 'unprocessable' }, 'In its own words.'],
  [
    'in its own words where the server has none',
    500,
    { error: 'x', code: 'internal' },
    'Failed to send discount email.',
  ],
] as const)('a failed send is reported %s', { tags: ['B8'] }, async (_, status, error, text) => {
  app.api.fail(sendDiscountOffers, status, error)
  await openForm()
  await findForm()
    .getByRole('button', { name: `Select all ${recipients.length}` })
    .click()
  await chooseCoupon()
  await send(recipients.length).click()
  await findForm().getByText(text, { exact: true }).waitFor()
  await findForm().getByRole('button', { name: 'Cancel' }).click()
  await findForm().waitFor({ state: 'detached' })
})

describe('from a page about one person', () => {
  test.each([
    ['a customer', '/customers/:customerId', 'Send discount'],
    ['a cart', `/carts/${first!.cart_id}`, 'Send Discount Mail'],
  ])('the form of %s addresses that person', async (_, path, label) => {
    app.api.alter(getCart, () => ({ cart: fixture(listAbandonedCarts).carts[0]! }))
    app.api.answer(lastMessage, { message: null })
    await app.open(path)
    await app.page.getByRole('button', { name: label }).click()
    const { first_name, last_name } = fixture(readCustomer).customer
    await findForm()
      .getByText(`To ${label === 'Send discount' ? `${first_name} ${last_name}` : NAME}`, { exact: true })
      .waitFor()
    await expect.poll(() => findCustomers().count()).toBe(0)
    await chooseCoupon()
    await waitForText('Ready to send')
    await findForm().getByRole('button', { name: 'Send discount' }).waitFor()
  })

  test('a bought cart offers no discount mail', async () => {
    await app.open('/carts/:cartId')
    await app.page.getByText('The shopper has bought. No more messages are sent for this cart.').first().waitFor()
    await expect.poll(() => app.page.getByRole('button', { name: 'Send Discount Mail' }).count()).toBe(0)
  })
})
