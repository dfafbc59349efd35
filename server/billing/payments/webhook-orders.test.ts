import { expect, it } from 'vitest'
import { startStripe } from '../../../providers/contracts/stripe/server.ts'
import { DAY } from '../../../test/message-scene.ts'
import { isFullRun, testSeed } from '../../../test/seed.ts'
import {
  attachRandomCard,
  type BillingHistory,
  deriveCurrent,
  isOneIn,
  runRandomAction,
} from '../../../test/stripe-life.ts'
import { createStripeWorld } from '../../../test/stripe-world.ts'
import { createSubscriber, readSubscription, type Subscriber } from '../../../test/subscriber.ts'
import { createRandom } from '../../../test/traffic.ts'
import { START } from '../../../test/world.ts'
import { claimTrial } from '../billing/trials.ts'
import { reconcileAccounts } from './reconcile.ts'
import { refreshAccount } from './refresh.ts'
import { setUpBilling } from './setup.ts'
import { openStripe } from './stripe.ts'

// Random lives of subscriptions with webhooks in any order, twice, never, late or forged, while Stripe sometimes fails
// and several fetches run (decision 83). After one daily reconciliation our row must match Stripe's objects.
// STRIPE_LIVES sets their number. A failure names its seed, and STRIPE_LIFE=<seed> repeats it.

const LIVES = Number(process.env.STRIPE_LIVES ?? (isFullRun ? 1_000 : 12))
const only = process.env.STRIPE_LIFE
const seeds = only ? [Number(only)] : Array.from({ length: LIVES }, (_, place) => testSeed * 10_000 + place)

const world = createStripeWorld()

it(
  'the next reconciliation matches Stripe after lost, late or repeated webhooks',
  async () => {
    for (const seed of seeds) {
      await playLife(seed).catch((error: unknown) => {
        throw new Error(`STRIPE_LIFE=${seed}`, { cause: error })
      })
    }
  },
  LIVES * 10_000,
)

async function playLife(seed: number): Promise<void> {
  const chance = createRandom(seed)
  world.now = START
  world.queued.length = 0
  for (const table of ['billing_customers', 'billing_events', 'trial_claims', 'subscriptions'] as const)
    await world.db.deleteFrom(table).execute()
  const server = await startStripe({
    now: START,
    signedAt: () => world.now,
    afterRetries: isOneIn(chance, 2) ? 'cancel' : 'unpaid',
  })
  const stripe = await openStripe({ secretKey: server.apiKey, apiUrl: server.url }, { retries: 0 })
  await setUpBilling(stripe, world.deps.config)
  world.deps.stripe = stripe
  const shop = await createSubscriber(world, isOneIn(chance, 2))
  const life: BillingHistory = { server, stripe, customer: shop.customer, chance }
  try {
    if (isOneIn(chance, 4)) await spendCardOnTrial(life)
    await attachRandomCard(life, 'pm_card_visa')
    for (let step = 0; step < 8; step++) await playStep(life, shop)
    expect(server.faults).toEqual([])
  } finally {
    await server.close()
  }
}

/** The card was used for another account's trial. */
async function spendCardOnTrial(life: BillingHistory): Promise<void> {
  const other = await createSubscriber(world)
  await claimTrial(world.deps, { accountId: other.accountId, db: world.db }, [
    await attachRandomCard({ ...life, ...other }, 'pm_card_visa'),
  ])
}

/** An action, some time, some of Stripe's events, and sometimes the daily fetch. */
async function playStep(life: BillingHistory, shop: Subscriber): Promise<void> {
  const { chance, server } = life
  for (let count = 0; count < 3; count++) await runRandomAction(life)
  passTime(life, Math.floor(chance() * 12) * DAY + 1_000)
  garbleEvents(life)
  if (isOneIn(chance, 4))
    server.intercept = () => (isOneIn(chance, 6) ? { status: 500, body: { error: { type: 'api_error' } } } : undefined)
  const delivered = await server.webhooks.deliverAll(deliver)
  expect(delivered.filter(({ isForged, answers }) => answers.at(-1) !== (isForged ? 400 : 200))).toEqual([])
  const refreshes = [runJobs(), runJobs(), refreshAccount(world.deps, shop.accountId).catch(() => {})]
  // Something happens during the fetch.
  if (isOneIn(chance, 2)) refreshes.push(runRandomAction(life))
  await Promise.all(refreshes)
  server.intercept = () => undefined
  if (!isOneIn(chance, 2)) return
  passTime(life, DAY)
  await reconcileAccounts(world.deps)
  while (world.queued.length > 0) await runJobs()
  await expectRow(life, shop)
  await expectAccess(life, shop)
}

function garbleEvents({ server: { webhooks }, chance }: BillingHistory): void {
  webhooks.shuffle(chance)
  if (isOneIn(chance, 2)) webhooks.double(() => isOneIn(chance, 3))
  if (isOneIn(chance, 2)) webhooks.drop(() => isOneIn(chance, 3))
  if (isOneIn(chance, 4)) webhooks.drop()
  if (isOneIn(chance, 2)) webhooks.delay(86_400, () => isOneIn(chance, 4))
  if (isOneIn(chance, 3)) webhooks.forge('customer.subscription.deleted', { id: 'sub_x', object: 'subscription' })
}

const passTime = ({ server }: BillingHistory, ms: number) => server.clock.advance(world.advance(ms))

async function deliver(payload: string, signature: string): Promise<number> {
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
  return (await world.app.inject({ method: 'POST', url: '/api/webhooks/stripe', headers, payload })).statusCode
}

/** A failed job is lost, as after its last retry. */
const runJobs = () => world.runJobs().catch(() => {})

async function expectRow(life: BillingHistory, shop: Subscriber): Promise<void> {
  const { row } = deriveCurrent(life)
  const has = await readSubscription(world, shop)
  // A plan not from Stripe stays until a subscription is live there.
  if (!row || (has && has.source !== 'stripe' && row.cycle === null)) {
    expect(has?.source).not.toBe('stripe')
    return
  }
  expect(has).toMatchObject({
    source: 'stripe',
    plan: row.plan,
    status: row.status,
    past_due_since: row.pastDueSince,
    cycle: row.cycle,
    extra_stores: row.extraStores,
    amount_minor: row.amountMinor,
    current_period_end: row.currentPeriodEnd,
    next_billing_at: row.nextBillingAt,
    trial_ends_at: row.trialEndsAt,
    last_payment_at: row.lastPaymentAt,
    cancel_at_period_end: row.cancelAtPeriodEnd,
    has_card: row.hasCard,
    next_plan: row.next?.plan ?? null,
    next_cycle: row.next?.cycle ?? null,
    changes_at: row.next?.at ?? null,
    stripe_subscription_id: row.stripeSubscriptionId,
    stripe_schedule_id: row.stripeScheduleId,
  })
}

/** Whether the account is subscribed, computed from Stripe's objects alone (decisions 86 and 121). */
async function expectAccess(life: BillingHistory, shop: Subscriber): Promise<void> {
  const { row } = deriveCurrent(life)
  if (!row || (await readSubscription(world, shop))?.source !== 'stripe') return
  const graceUntil = row.pastDueSince && new Date(row.pastDueSince.getTime() + 7 * DAY)
  const isSubscriber = row.status === 'past_due' ? world.now < graceUntil! : row.status !== 'canceled'
  await world.db
    .updateTable('sessions')
    .set({ expires_at: new Date(world.now.getTime() + DAY) })
    .execute()
  const { body } = await world.request('GET', '/api/subscribe/status', { token: shop.token })
  expect(body).toMatchObject({
    plan: row.plan,
    status: row.status,
    hasActiveSubscription: isSubscriber,
    planInForce: row.status === 'canceled' ? 'free' : row.plan,
  })
}
