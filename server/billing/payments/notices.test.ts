import { beforeEach, expect, it } from 'vitest'
import { DAY } from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { createStripeWorld } from '../../../test/stripe-world.ts'
import {
  attachCard,
  buildItems,
  createSubscriber,
  readPayments,
  readSubscription,
  type Subscriber,
  subscribe,
} from '../../../test/subscriber.ts'
import { acceptMail } from '../../../test/world.ts'
import { groupNotifications } from '../../access/notifications/group.ts'
import { mailDueNotifications } from '../../access/notifications/mails.ts'
import { refreshAccount } from './refresh.ts'

// Notifications of owners about their subscription, once each (decisions 84 to 86).

const world = createStripeWorld()
const stripe = () => world.deps.stripe!
const counts = new Map<string, number>()

beforeEach(() => {
  world.answer = acceptMail
  counts.clear()
})

/** Fetches twice, because everything arrives twice, and returns new notifications. */
async function fetchNewNotices(
  shop: Subscriber,
  isTrialEnding = false,
): Promise<{ type: string; title: string; message: string }[]> {
  await refreshAccount(world.deps, shop.accountId, { isTrialEnding })
  await refreshAccount(world.deps, shop.accountId, { isTrialEnding })
  const all = await readNotifications(world, shop.storeId)
  const fresh = all.slice(counts.get(shop.storeId) ?? 0)
  counts.set(shop.storeId, all.length)
  return fresh
}
const fetchNewTitles = async (shop: Subscriber) => (await fetchNewNotices(shop)).map(({ title }) => title)

it('a trial notifies its start, its coming end, and its end without a card', async () => {
  const shop = await createSubscriber(world)
  await subscribe(world, shop, { trialDays: 14, card: null })
  const [begun] = await fetchNewNotices(shop)
  expect(begun).toEqual({
    type: 'plan_changed',
    title: 'Your plan is Starter now',
    message:
      'The trial is free until March 16, 2026. After that it costs $19.00 a month, before discounts and tax, if you add a card. Without one your account is on the Lite plan then.',
  })
  world.passTime(10 * DAY)
  expect(await fetchNewNotices(shop)).toEqual([])
  world.passTime(1.5 * DAY)
  expect(await fetchNewNotices(shop)).toEqual([
    {
      type: 'trial_ending',
      title: 'Your Starter trial ends on March 16, 2026',
      message:
        'You have not added a card. Without one, your account moves to the Lite plan then. With one, the Starter plan costs $19.00 a month, before discounts and tax.',
    },
  ])
  world.passTime(3 * DAY)
  expect(await fetchNewNotices(shop)).toEqual([
    {
      type: 'trial_ended',
      title: 'Your Starter trial has ended',
      message: 'Nothing was charged. Your account is on the Lite plan now.',
    },
  ])
})

it('Stripe’s announcement of a trial’s end notifies even if our clock differs, and the trial continues with a card', async () => {
  const shop = await createSubscriber(world)
  await subscribe(world, shop, { plan: 'growth', cycle: 'year', trialDays: 14 })
  await fetchNewNotices(shop)
  expect((await fetchNewNotices(shop, true)).map(({ type, message }) => [type, message])).toEqual([
    ['trial_ending', expect.stringMatching(/^Your card is charged then: \$468\.00 a year, before/)],
  ])
  world.passTime(12 * DAY)
  expect(await fetchNewNotices(shop)).toEqual([])
  world.passTime(2.1 * DAY)
  expect((await fetchNewNotices(shop)).map(({ type, message }) => [type, message])).toEqual([
    ['trial_ended', 'The plan continues and costs $468.00 a year, before discounts and tax.'],
  ])
  expect(await readSubscription(world, shop)).toMatchObject({ plan: 'growth', status: 'active' })
  expect(await readPayments(world, shop)).toMatchObject([{ status: 'succeeded', amount_minor: 46_800 }])
})

it.each([
  [
    null,
    /^The trial is free until .*\. After that it costs \$19\.00 a month.*, if you add a card\. Without one .* Lite/,
  ],
  [
    'pm_card_mastercard',
    /^The trial is free until .*\. After that it costs \$19\.00 a month, before discounts and tax\.$/,
  ],
])('a trial that is reactivated costs something only with a card (%s)', async (card, message) => {
  const shop = await createSubscriber(world)
  const { id } = await subscribe(world, shop, { trialDays: 14, card })
  await stripe().subscriptions.update(id, { cancel_at_period_end: true })
  await fetchNewNotices(shop)
  await stripe().subscriptions.update(id, { cancel_at_period_end: false })
  expect(await fetchNewNotices(shop)).toEqual([
    { type: 'plan_changed', title: 'Your Starter plan continues', message: expect.stringMatching(message) },
  ])
})

it('a trial that is to end anyway is not notified again', async () => {
  const shop = await createSubscriber(world)
  const { id } = await subscribe(world, shop, { trialDays: 14 })
  await stripe().subscriptions.update(id, { cancel_at_period_end: true })
  await fetchNewNotices(shop)
  world.passTime(12 * DAY)
  expect(await fetchNewNotices(shop, true)).toEqual([])
})

it('a card with an earlier trial of another account ends this trial with its own notification only', async () => {
  const first = await createSubscriber(world)
  await subscribe(world, first, { trialDays: 14, card: 'pm_card_amex' })
  await fetchNewNotices(first)
  const second = await createSubscriber(world)
  await subscribe(world, second, { trialDays: 14, card: null })
  expect(await fetchNewTitles(second)).toEqual(['Your plan is Starter now'])
  await attachCard(world, second.customer, 'pm_card_amex')
  expect(await fetchNewNotices(second)).toEqual([
    {
      type: 'trial_refused',
      title: 'Your Starter trial has ended early',
      message:
        'The card you added has been used for a trial of another account, and each card has one trial. The Starter plan now costs $19.00 a month, before discounts and tax. Without a card, your account is on the Lite plan.',
    },
  ])
})

it('a failed payment notifies once, however often it is retried, and again when it is paid', async () => {
  const shop = await createSubscriber(world)
  await subscribe(world, shop)
  await fetchNewNotices(shop)
  await attachCard(world, shop.customer, 'pm_card_chargeCustomerFail')
  world.passTime(32 * DAY)
  const [failed, ...more] = await fetchNewNotices(shop)
  expect([failed!.type, failed!.title, more]).toEqual(['payment_failed', 'A payment of $19.00 has failed', []])
  expect(failed!.message).toMatch(
    /^Your card was declined\. The next attempt is on \w+ \d+, 2026\. Messages are sent until \w+ \d+, 2026\. After that/,
  )
  world.passTime(4 * DAY)
  expect(await fetchNewNotices(shop)).toEqual([])
  await attachCard(world, shop.customer)
  world.passTime(6 * DAY)
  expect((await fetchNewNotices(shop)).map(({ type }) => type)).toEqual(['payment_recovered'])
  expect(await readSubscription(world, shop)).toMatchObject({ status: 'active', past_due_since: null })
  expect(await readPayments(world, shop)).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }])
})

it('a change notifies what changes and when, and that it was withdrawn', async () => {
  const shop = await createSubscriber(world)
  const { id } = await subscribe(world, shop, { plan: 'growth' })
  await fetchNewNotices(shop)
  await stripe().subscriptions.update(id, { cancel_at_period_end: true })
  expect(await fetchNewTitles(shop)).toEqual([expect.stringMatching(/^Your Growth plan ends on \w+ \d+, 2026$/)])
  await stripe().subscriptions.update(id, { cancel_at_period_end: false })
  expect(await fetchNewNotices(shop)).toMatchObject([
    {
      title: 'Your Growth plan continues',
      message: expect.stringMatching(/^It costs \$49\.00 a month.* It renews on /),
    },
  ])
  const schedule = await stripe().subscriptionSchedules.create({ from_subscription: id })
  const [phase] = schedule.phases
  await stripe().subscriptionSchedules.update(schedule.id, {
    phases: [
      { items: buildItems(world, { plan: 'growth' }), start_date: phase!.start_date, end_date: phase!.end_date },
      { items: buildItems(world, { plan: 'starter', extraStores: 1 }), duration: { interval: 'month' } },
    ],
  })
  expect(await fetchNewNotices(shop)).toMatchObject([
    {
      title: expect.stringMatching(/^Your plan changes to Starter on \w+ \d+, 2026, with 1 extra store$/),
      message: 'Nothing changes until then. After that it costs $29.00 a month, before discounts and tax.',
    },
  ])
  world.passTime(32 * DAY)
  expect(await fetchNewTitles(shop)).toEqual(['Your plan is Starter now, with 1 extra store'])
  await stripe().subscriptions.cancel(id)
  expect(await fetchNewTitles(shop)).toEqual(['Your Starter plan has ended'])
})

it('a revoked subscription has its own notification', async () => {
  const shop = await createSubscriber(world)
  const { id } = await subscribe(world, shop, { plan: 'growth' })
  await fetchNewNotices(shop)
  await stripe().subscriptions.update(id, { metadata: { recoup_ended: 'chargeback' } })
  await stripe().subscriptions.cancel(id)
  expect(await fetchNewTitles(shop)).toEqual(['Your Growth plan was canceled'])
})

it('owners are mailed at once, with a link to Billing', async () => {
  const shop = await createSubscriber(world)
  const { email } = await world.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', shop.userId)
    .executeTakeFirstOrThrow()
  await subscribe(world, shop)
  world.sent.length = 0
  await refreshAccount(world.deps, shop.accountId)
  await groupNotifications(world.deps)
  await mailDueNotifications(world.deps)
  await world.runJobs()
  const mails = world.sent.filter(({ to }) => to === email)
  expect(mails.map(({ subject }) => subject)).toEqual(['Your plan is Starter now'])
  expect(mails[0]!.text).toMatch(/^Open billing:\nhttp:\/\/localhost:3000\/billing$/m)
  expect(mails[0]!.text).not.toContain('/notifications?')
})
