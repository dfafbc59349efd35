import { afterAll, beforeAll, expect, test } from 'vitest'
import { readVerificationToken } from '../e2e/owner.ts'
import { openClient } from '../providers/contracts/stripe/server.ts'
import {
  advanceDays,
  callApi,
  connectStore,
  endScene,
  findDialog,
  findMail,
  formatDay,
  instance,
  main,
  OWNER,
  openPage,
  page,
  pressButton,
  readPaymentHistory,
  readPeriodEnd,
  readSubscription,
  runBillingSetup,
  startScene,
  stripe,
  submitCard,
  syncStripeClock,
} from './billing-life/scene.ts'

// The life of one subscription against the contract server of Stripe, on its clock (decision 89).

beforeAll(startScene)
afterAll(endScene)

const CONFIRM =
  'Are you sure you want to cancel your subscription? You will lose access at the end of your current billing period.'

test('a subscription lives from the setup at Stripe through trial, upgrade, failed payment, downgrade and cancellation to a refund', async () => {
  await setUpStripe()
  await beginTrial()
  await addCardBeforeTrialEnds()
  await passTrialEnd()
  await upgradeForThirdStore()
  await declinePayment()
  await recoverPayment()
  await scheduleDowngrade()
  await passDowngrade()
  await cancelAndReactivate()
  await refund()
})

async function setUpStripe(): Promise<void> {
  const made = await runBillingSetup()
  expect(made.match(/Created the price recoup_\w+\./g)).toHaveLength(6)
  expect(made).toContain('Created the customer portal configuration.')
  const calls = stripe.seen.length
  expect(await runBillingSetup()).toContain('Everything is already set up at Stripe. Nothing was changed.')
  expect(stripe.seen.slice(calls).filter(({ method }) => method !== 'GET')).toEqual([])
}

async function beginTrial(): Promise<void> {
  await openPage('/register')
  await page.getByLabel('Name').fill(OWNER.name)
  await page.getByLabel('Email').fill(OWNER.email)
  for (const label of ['Password', 'Repeat password']) {
    await page.getByLabel(label, { exact: true }).fill(OWNER.password)
  }
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/pricing')
  const token = await readVerificationToken(instance, OWNER.email)
  expect((await callApi('POST', '/api/auth/verify-email', { token })).status).toBe(200)
  await main().getByRole('button', { name: 'Choose Starter' }).waitFor()
  await pressButton('Choose Starter')
  await page.getByRole('heading', { level: 1, name: 'Complete Your Purchase' }).waitFor()
  await main().getByText('14 days free, then $19.00 a month until you cancel.').waitFor()
  await pressButton('Start free trial')
  await page.getByText('14 days free').waitFor()
  // Back at the plan choice, and the same page of Stripe again.
  await page.getByRole('link', { name: 'Back', exact: true }).click()
  await page.waitForURL(`${instance.url}/pricing?plan=starter&cycle=month&stores=0`)
  await pressButton('Start free trial')
  await page.getByText('Total due today $0.00').waitFor()
  await expect.poll(() => page.getByLabel('Card number').count()).toBe(0)
  await page.getByRole('button', { name: 'Start trial' }).click()
  await page.waitForURL(`${instance.url}/billing`)
  await main().getByText('Your checkout is complete.').waitFor()
  await main().getByText('You are on the Starter plan.').waitFor()
  await expect
    .poll(() => main().getByRole('link', { name: 'Connect your store' }).getAttribute('href'))
    .toBe('/store-setup')
  await main()
    .getByText(`Trial until ${formatDay(readSubscription().trial_end!)}.`)
    .waitFor()
  await main().getByText('None added; after the trial the plan becomes Lite').waitFor()
  expect(stripe.all('charge')).toEqual([])
  expect(await findMail('Your plan is Starter now')).toMatch(
    /After that it costs \$19\.00 a month,[\s\S]*if\s+you\s+add\s+a\s+card/,
  )
}

async function addCardBeforeTrialEnds(): Promise<void> {
  await advanceDays(11.1)
  const mail = await findMail('Your Starter trial ends on')
  expect(mail).toContain('You have not added a card. Without one, your account moves to the Lite plan then.')
  // Without a store there is no list of notifications.
  expect(mail).toContain(`Open billing:\n${instance.url}/billing`)
  await openPage('/billing')
  const banner = page.getByText(`The trial of Starter ends on ${formatDay(readSubscription().trial_end!)}.`)
  await banner.waitFor()
  await page.getByText('After that the account moves to Lite, unless a card is added.').waitFor()
  await submitCard('4242424242424242')
  await main().getByText('On file').waitFor()
  await page.getByText('After that your card is charged.').waitFor()
  for (let n = 0; n < 2; n++) expect((await connectStore()).status).toBe(200)
}

async function passTrialEnd(): Promise<void> {
  await advanceDays(3)
  expect(await findMail('Your Starter trial has ended')).toContain('The plan continues and costs $19.00 a month')
  await openPage('/billing')
  await main().getByText('Active', { exact: true }).waitFor()
  expect(await readPaymentHistory()).toEqual(['1 × Recoup Starter (at $19.00 / month) | Succeeded | $19.00'])
  expect(stripe.all('charge').map(({ amount }) => amount)).toEqual([1_900])
}

async function upgradeForThirdStore(): Promise<void> {
  await advanceDays(10)
  const refused = await connectStore()
  expect([refused.status, refused.body.error]).toEqual([
    403,
    'Your plan (Starter) includes 2 stores. Add an extra store for $10 a month under Billing, upgrade your plan, or disconnect a store first.',
  ])
  await openPage('/store-setup?another=store')
  await main().getByText(refused.body.error!).waitFor()
  await main().getByRole('link', { name: 'Add an extra store' }).click()
  await findDialog('Change plan').getByLabel('Extra stores').waitFor()
  await expect.poll(() => findDialog('Change plan').getByLabel('Extra stores').inputValue()).toBe('1')
  await findDialog('Change plan').getByLabel('Extra stores').fill('0')
  await findDialog('Change plan').getByRole('radio', { name: 'Growth' }).click()
  await findDialog('Change plan').getByRole('button', { name: 'Show the price' }).click()
  await findDialog('Change plan').getByText('The plan changes immediately.').waitFor()
  const pay = findDialog('Change plan').getByRole('button', { name: /^Pay \$/ })
  const shown = /\$[\d.]+/.exec(await pay.innerText())![0]
  await findDialog('Change plan').getByText('The next bill is $49.00').waitFor()
  const before = stripe.all('charge').length
  await syncStripeClock()
  await pay.click()
  await findDialog('Change plan').waitFor({ state: 'detached' })
  await main().getByRole('heading', { name: 'Growth' }).waitFor()
  await stripe.webhooks.idle()
  const charged = stripe.all('charge').slice(before)
  expect(charged.map(({ amount }) => `$${(amount / 100).toFixed(2)}`)).toEqual([shown])
  expect(await findMail('Your plan is Growth now')).toContain('It costs $49.00 a month')
  expect((await readPaymentHistory())[0]).toBe(`Change of the plan | Succeeded | ${shown}`)
  expect((await connectStore()).status).toBe(200)
  await page.getByRole('button', { name: 'Subscription: Growth, Active' }).click()
  await findDialog('Subscription').getByText('3 of 3 connected').waitFor()
}

async function declinePayment(): Promise<void> {
  await submitCard('4000000000000341')
  await main().getByText('On file').waitFor()
  await advanceDays(21)
  expect(readSubscription().status).toBe('past_due')
  const mail = await findMail('A payment of $49.00 has failed')
  expect(mail).toMatch(
    /Your card was declined\. The next attempt is on .*\. Messages are sent until .*\. After that they wait/,
  )
  await openPage('/billing')
  await page.getByText('A payment is overdue.', { exact: true }).waitFor()
  await main().getByText('Past Due', { exact: true }).waitFor()
  await main().getByText('Add another card under Manage Billing for the next try').waitFor()
  expect((await readPaymentHistory())[0]).toBe(
    '1 × Recoup Growth (at $49.00 / month) | Failed | Your card was declined. | $49.00',
  )
  await openPage('/carts')
  await page.getByText('A payment is overdue.', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Go to billing' }).click()
  await page.waitForURL('**/billing')
}

async function recoverPayment(): Promise<void> {
  await submitCard('5555555555554444')
  await advanceDays(3)
  expect(readSubscription().status).toBe('active')
  expect(await findMail('Your payment was received')).toContain('Nothing is overdue')
  await openPage('/billing')
  await main().getByText('Active', { exact: true }).waitFor()
  await expect.poll(() => page.getByText('A payment is overdue.').count()).toBe(0)
  expect((await readPaymentHistory())[0]).toBe('1 × Recoup Growth (at $49.00 / month) | Succeeded | $49.00')
}

async function scheduleDowngrade(): Promise<void> {
  await advanceDays(1)
  const day = readPeriodEnd()
  await openPage('/billing')
  await pressButton('Change plan')
  const change = findDialog('Change plan')
  await change.getByRole('radio', { name: 'Starter' }).click()
  await change.getByRole('button', { name: 'Show the price' }).click()
  await change.getByText(`The plan changes on ${day}. Nothing is due now.`).waitFor()
  await change.getByText('1 store will become inactive').waitFor()
  const boxes = change.getByRole('checkbox')
  for (const box of await boxes.all()) if (await box.isChecked()) await box.click()
  await boxes.first().click()
  await syncStripeClock()
  await change.getByRole('button', { name: `Change on ${day}` }).click()
  await change.waitFor({ state: 'detached' })
  await main().getByText(`Changes to Starter on ${day}.`).waitFor()
  expect(await findMail('Your plan changes to Starter on')).toContain('Nothing changes until then.')
  expect(await listRestingStores()).toEqual([])
}

async function passDowngrade(): Promise<void> {
  const [first] = await listStores()
  await advanceDays(15)
  await openPage('/billing')
  await advanceDays(14)
  expect(await findMail('Your plan is Starter now')).toContain('It costs $19.00 a month')
  expect(await listRestingStores()).toEqual([first!.id])
  await openPage('/billing')
  await main().getByRole('heading', { name: 'Starter' }).waitFor()
  await main().getByRole('region', { name: 'Inactive stores' }).waitFor()
  expect((await readPaymentHistory())[0]).toBe('1 × Recoup Starter (at $19.00 / month) | Succeeded | $19.00')
}

async function cancelAndReactivate(): Promise<void> {
  await advanceDays(1)
  const day = readPeriodEnd()
  await openPage('/billing')
  await pressButton('Cancel subscription')
  await findDialog('Cancel Starter?').getByText(CONFIRM).waitFor()
  await findDialog('Cancel Starter?').getByText('2 stores of 3 will then become inactive').waitFor()
  await syncStripeClock()
  await findDialog('Cancel Starter?').getByRole('button', { name: 'Cancel subscription' }).click()
  await main().getByText(`Ends on ${day}, then Lite.`).waitFor()
  expect(readSubscription().cancel_at_period_end).toBe(true)
  expect(await findMail('Your Starter plan ends on')).toContain('Until then you can reactivate the subscription')
  await advanceDays(5)
  await openPage('/billing')
  await pressButton('Reactivate')
  await main().getByText(`Renews on ${day}.`).waitFor()
  expect(readSubscription().cancel_at_period_end).toBe(false)
  expect(await findMail('Your Starter plan continues')).toContain('It costs $19.00 a month')
}

async function refund(): Promise<void> {
  const charge = stripe.all('charge').findLast(({ paid }) => paid)!
  await openClient(await syncStripeClock()).refunds.create({ charge: charge.id, amount: 500 })
  await stripe.webhooks.idle()
  await expect
    .poll(async () => (await readPaymentHistory())[0])
    .toBe('1 × Recoup Starter (at $19.00 / month) | Succeeded | $19.00 | $5.00 refunded')
  await openClient(stripe).refunds.create({ charge: charge.id })
  await stripe.webhooks.idle()
  await expect
    .poll(async () => (await readPaymentHistory())[0])
    .toBe('1 × Recoup Starter (at $19.00 / month) | Refunded | $19.00 | $19.00 refunded')
  const paid = stripe.all('charge').filter((one) => one.paid)
  expect((await readPaymentHistory()).length).toBe(paid.length)
  await expect.poll(() => page.getByRole('button', { name: 'Subscription: Starter, Active' }).count()).toBe(1)
}

interface Store {
  id: string
  isResting: boolean
}
const listStores = async () => (await callApi<{ stores: Store[] }>('GET', '/api/subscribe/resting-stores')).body.stores
const listRestingStores = async () => (await listStores()).filter(({ isResting }) => isResting).map(({ id }) => id)
