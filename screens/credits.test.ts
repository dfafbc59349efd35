import { expect, test } from 'vitest'
import { readUsage, subscriptionStatus } from '../shared/billing/billing.ts'
import {
  addTestCredits,
  buyCredits,
  type Credits,
  checkCredits,
  listCreditEntries,
  readCredits,
} from '../shared/billing/credits.ts'
import {
  answerBilling,
  buildCredits,
  buildLedger,
  buildStatus,
  buildUsage,
  checkLayout,
  createBillingScreen,
  noCredits,
  readText,
  signInAs,
} from './billing-scene.ts'

// SMS credits: their card on /billing, the ledger, purchase, and the offer on /pricing.

const app = createBillingScreen()
const findCard = () => app.page.getByRole('region', { name: 'SMS credits' })
const search = () => new URL(app.page.url()).search

function answerCredits(credits: Credits = buildCredits()): void {
  answerBilling(app)
  app.api.answer(readCredits, credits)
}

test('the card shows balance, weekly usage and prices; the meter shows that credits follow the plan', async () => {
  answerCredits()
  app.api.answer(readUsage, buildUsage())
  const page = await app.open('/billing')
  await findCard().getByText('$12.34').waitFor()
  const text = await readText(findCard())
  for (const part of ['Last 7 days $3.618', 'United States $0.018', 'Elsewhere $0.225']) expect(text).toContain(part)
  await page.getByText('84 of 100 used, then $12.34 in credits').waitFor()
  await expect.poll(() => page.getByText(/, then .* in credits/).count()).toBe(1)
  await checkLayout(app, 'main')
})

test('a pack is chosen and paid at the provider, also by keyboard, and a refusal is shown', async () => {
  answerCredits()
  app.api.fail(buyCredits, 409, { error: 'Payments are closed.' })
  const page = await app.open('/billing')
  await findCard().getByRole('button', { name: 'Buy $25 in credits' }).press('Enter')
  await findCard().getByRole('alert').filter({ hasText: 'Payments are closed.' }).waitFor()
  await checkLayout(app, 'main')
  app.api.answer(buyCredits, { url: `${app.url}/terms?stripe` })
  await findCard().getByRole('radio', { name: '$50' }).press('Space')
  await findCard().getByRole('button', { name: 'Buy $50 in credits' }).dblclick()
  await page.waitForURL('**/terms?stripe')
  await expect.poll(() => app.api.calls(buyCredits).map(({ sent }) => sent.body)).toEqual([{ pack: 25 }, { pack: 50 }])
})

test('the ledger labels each entry, has pages, and keeps the page in the address', async () => {
  answerCredits()
  app.api.answer(listCreditEntries, buildLedger(23))
  await app.open('/billing')
  await findCard().getByRole('button', { name: 'View transactions' }).click()
  const rows = findCard().getByRole('row')
  await rows.nth(10).waitFor()
  const texts = (await rows.allInnerTexts()).map((row) => row.replace(/\s+/g, ' ').trim())
  expect(texts[0]).toBe('Date Description Amount Balance')
  expect(texts[1]).toMatch(/SMS sent -\$0.018 \$12.345678$/)
  expect(texts[3]).toMatch(/Payment refunded; \$18.00 had been used -\$7.00/)
  expect(texts[4]).toMatch(/Bought \+\$25.00/)
  expect(texts[5]).toMatch(/Test credits \+\$25.00/)
  await checkLayout(app, 'main')
  await findCard().getByRole('button', { name: 'Page 3' }).click()
  await findCard().getByText('Page 3 of 3, 23 transactions').waitFor()
  expect(search()).toBe('?ledger=3')
  await expect.poll(() => app.api.calls(listCreditEntries).at(-1)!.sent.query).toEqual({ page: '3', limit: '10' })
})

test('a viewer sees the balance without ledger and buttons; unused credits give the reason; without any the card is absent', async () => {
  answerCredits()
  signInAs(app, 'viewer')
  const page = await app.open('/billing')
  await findCard().getByText('$12.34').waitFor()
  await expect.poll(() => findCard().getByRole('button').count()).toBe(0)
  app.api.answer(readCredits, buildCredits({ carrier: 'own', offer: null }))
  await page.reload()
  await findCard().getByText('Your SMS go through your own provider, which bills you.').waitFor()
  app.api.answer(readCredits, noCredits)
  await page.reload()
  await page.getByRole('heading', { name: 'Limits and usage' }).waitFor()
  await page.getByRole('heading', { name: 'Premium features' }).waitFor()
  await app.waitUntilSettled()
  await expect.poll(() => findCard().count()).toBe(0)
})

test('a failure to load credits shows Retry', async () => {
  answerCredits()
  app.api.fail(readCredits, 400, { error: 'Broken.' })
  const page = await app.open('/billing')
  const failed = page.getByRole('alert').filter({ hasText: 'The credits could not be loaded.' })
  await failed.waitFor()
  app.api.answer(readCredits, buildCredits())
  await failed.getByRole('button', { name: 'Retry' }).click()
  await findCard().getByText('$12.34').waitFor()
})

test.each([
  [
    'paid',
    () => app.api.answer(checkCredits, { isPaid: true, balanceMicros: 25_000_000 }),
    'status',
    'You have $25.00 in credits.',
  ],
  ['not paid', () => app.api.answer(checkCredits, { isPaid: false, balanceMicros: 0 }), 'status', 'Payment pending'],
  [
    'of another account',
    () => app.api.fail(checkCredits, 404, { error: 'Checkout session not found' }),
    'alert',
    'Checkout session not found',
  ],
] as const)('the return from paying for credits shows the result: %s', async (_, answer, role, text) => {
  answerCredits()
  answer()
  const page = await app.open('/billing?credits=cs_test_1')
  await page.getByRole('main').getByRole(role).filter({ hasText: text }).waitFor()
  expect(search()).toBe('')
  await expect
    .poll(() => app.api.calls(checkCredits).map(({ sent }) => sent.query))
    .toEqual([{ session_id: 'cs_test_1' }])
})

test('/pricing offers credits where they are sold, and otherwise shows who bills', { tags: ['A9'] }, async () => {
  app.api.answer(subscriptionStatus, buildStatus())
  app.api.answer(readCredits, buildCredits())
  const page = await app.open('/pricing')
  const addOns = page.getByRole('region', { name: 'Add-ons' })
  await addOns.getByText('SMS credits from $10').waitFor()
  await addOns.getByText('from about $0.018 each').waitFor()
  await addOns.getByRole('link', { name: 'Credits under Billing' }).waitFor()
  await checkLayout(app, 'main')
  for (const carrier of ['own', 'none'] as const) {
    app.api.answer(readCredits, buildCredits({ carrier, offer: null }))
    await page.reload()
    await addOns.getByText('Billed by your provider').waitFor()
    await expect.poll(() => addOns.getByText('credits').count()).toBe(0)
  }
})

test('test billing adds credits once for a double click', async () => {
  app.api.answer(subscriptionStatus, buildStatus({ sells: 'test', isTestMode: true }))
  app.api.answer(readCredits, () => {
    const added = app.api.calls(addTestCredits).length * 50_000_000
    return buildCredits({ carrier: 'sandbox', offer: 'test', balanceMicros: added })
  })
  app.api.answer(addTestCredits, { balanceMicros: 50_000_000 })
  const page = await app.open('/test-subscription')
  await page.getByText('SMS credits: $0.00').waitFor()
  await page.getByLabel('Pack of credits').selectOption('50')
  await page.getByRole('button', { name: 'Add test credits' }).dblclick()
  await page.getByText('You have $50.00 in credits.').waitFor()
  await page.getByText('SMS credits: $50.00').waitFor()
  await expect.poll(() => app.api.calls(addTestCredits).map(({ body }) => body)).toEqual([{ pack: 50 }])
  await checkLayout(app)
})
