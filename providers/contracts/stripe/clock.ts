import type Stripe from 'stripe'
import { listItems } from './changes.ts'
import { expireSession } from './checkout.ts'
import { collectInvoice, finalizeInvoice, findCard, findSubscription, openDraft, voidInvoice } from './invoicing.ts'
import { buildFullLine, type LineDraft, type Period } from './lines.ts'
import { computePeriodEnd, findCurrentPeriod, readInterval } from './periods.ts'
import { enterPhase } from './phases.ts'
import { releaseSchedule } from './schedules.ts'
import { DAY, type StripeState } from './state.ts'
import { endSubscription } from './subscription-status.ts'

// What Stripe does by itself as time passes: one action after another, each at its own second.

interface Due {
  at: number
  run: () => void
}

export function advanceClock(world: StripeState, to: Date): void {
  const end = Math.floor(to.getTime() / 1000)
  if (end < world.now) throw new Error('The clock goes forward only')
  for (;;) {
    const due = listDues(world).reduce<Due | null>((first, one) => (first && first.at <= one.at ? first : one), null)
    if (!due || due.at > end) break
    world.now = Math.max(world.now, due.at)
    due.run()
  }
  world.now = end
}

function listDues(world: StripeState): Due[] {
  return [
    ...world.all('checkout.session').flatMap((one) => (one.status === 'open' ? listSessionDues(world, one) : [])),
    ...world.all('invoice').flatMap((one) => listInvoiceDues(world, one)),
    // A phase starts before the period that it changes.
    ...world.all('subscription_schedule').flatMap((one) => (one.status === 'active' ? listPhaseDues(world, one) : [])),
    ...world.all('subscription').flatMap((one) => (one.ended_at ? [] : listSubscriptionDues(world, one))),
  ]
}

const listSessionDues = (world: StripeState, session: Stripe.Checkout.Session): Due[] => [
  { at: session.expires_at, run: () => expireSession(world, session) },
]

function listInvoiceDues(world: StripeState, invoice: Stripe.Invoice): Due[] {
  if (invoice.status === 'draft' && invoice.auto_advance && invoice.automatically_finalizes_at) {
    return [{ at: invoice.automatically_finalizes_at, run: () => finalizeAndCollect(world, invoice) }]
  }
  if (invoice.status !== 'open' || !invoice.next_payment_attempt) return []
  return [{ at: invoice.next_payment_attempt, run: () => collectInvoice(world, invoice) }]
}

function finalizeAndCollect(world: StripeState, invoice: Stripe.Invoice): void {
  finalizeInvoice(world, invoice)
  if (invoice.status === 'open') collectInvoice(world, invoice)
}

function listPhaseDues(world: StripeState, schedule: Stripe.SubscriptionSchedule): Due[] {
  const at = schedule.current_phase!.end_date
  const next = schedule.phases.find(({ start_date }) => start_date === at)
  return [{ at, run: () => (next ? enterPhase(world, schedule, next) : endSchedule(world, schedule)) }]
}

/** After the last phase the subscription continues without the schedule, or ends with it. */
function endSchedule(world: StripeState, schedule: Stripe.SubscriptionSchedule): void {
  if (schedule.end_behavior !== 'cancel') {
    releaseSchedule(world, schedule)
    return
  }
  const subscription = world.find('subscription', schedule.subscription as string)!
  Object.assign(schedule, { status: 'completed', completed_at: world.now, current_phase: null })
  world.emit('subscription_schedule.completed', schedule)
  endSubscription(world, subscription, 'cancellation_requested')
}

function listSubscriptionDues(world: StripeState, one: Stripe.Subscription): Due[] {
  if (one.status === 'incomplete') return [{ at: one.created + 23 * 3_600, run: () => expireIncomplete(world, one) }]
  if (one.status === 'paused') return []
  const found: Due[] = []
  const { end } = findCurrentPeriod(one)
  if (one.cancel_at !== null) found.push({ at: one.cancel_at, run: () => endSubscription(world, one, null) })
  if (one.pending_update) found.push({ at: one.pending_update.expires_at, run: () => expirePending(world, one) })
  if (one.status === 'trialing') {
    const isAnnounced = world.notes.get(`${one.id}/told`)?.trialEnd === one.trial_end
    const at = one.trial_end! - 3 * DAY
    if (!isAnnounced && at > one.created)
      found.push({ at: Math.max(at, world.now), run: () => announceTrialEnd(world, one) })
    found.push({ at: one.trial_end!, run: () => endTrial(world, one) })
  } else found.push({ at: end, run: () => renewSubscription(world, one) })
  return found
}

function announceTrialEnd(world: StripeState, subscription: Stripe.Subscription): void {
  world.notes.set(`${subscription.id}/told`, { trialEnd: subscription.trial_end })
  world.emit('customer.subscription.trial_will_end', subscription)
}

function endTrial(world: StripeState, subscription: Stripe.Subscription): void {
  const missing = findCard(world, subscription)
    ? null
    : subscription.trial_settings?.end_behavior.missing_payment_method
  if (missing === 'cancel') endSubscription(world, subscription, null)
  else if (missing === 'pause') {
    subscription.status = 'paused'
    world.emit('customer.subscription.paused', subscription)
  } else renewSubscription(world, subscription)
}

function renewSubscription(world: StripeState, subscription: Stripe.Subscription): void {
  const ended = findCurrentPeriod(subscription)
  const interval = readInterval(subscription.items.data[0]!)
  const period = { start: ended.end, end: computePeriodEnd(subscription.billing_cycle_anchor, ended.end, interval) }
  world.update('customer.subscription.updated', subscription, () => {
    if (subscription.status === 'trialing') subscription.status = 'active'
    for (const item of subscription.items.data) {
      item.current_period_start = period.start
      item.current_period_end = period.end
    }
  })
  billPeriod(world, subscription, ended, period)
}

function billPeriod(world: StripeState, subscription: Stripe.Subscription, ended: Period, period: Period): void {
  const key = `${subscription.id}/lines`
  const storedLines = (world.notes.get(key)?.lines as LineDraft[] | undefined) ?? []
  world.notes.delete(key)
  const lines = [...storedLines, ...listItems(subscription).map((item) => buildFullLine(world, item, period))]
  const invoice = openDraft(world, { subscription, lines, reason: 'subscription_cycle', period: ended })
  // An unpaid subscription collects draft invoices without charges.
  if (subscription.status === 'unpaid')
    Object.assign(invoice, { auto_advance: false, automatically_finalizes_at: null })
}

function expireIncomplete(world: StripeState, subscription: Stripe.Subscription): void {
  for (const invoice of openInvoices(world, subscription)) voidInvoice(world, invoice)
  world.update('customer.subscription.updated', subscription, () => {
    subscription.status = 'incomplete_expired'
    subscription.ended_at = world.now
  })
}

function expirePending(world: StripeState, subscription: Stripe.Subscription): void {
  subscription.pending_update = null
  for (const invoice of openInvoices(world, subscription)) {
    if (invoice.id === subscription.latest_invoice) voidInvoice(world, invoice)
  }
  world.emit('customer.subscription.pending_update_expired', subscription)
}

const openInvoices = (world: StripeState, subscription: Stripe.Subscription) =>
  world.all('invoice').filter((one) => one.status === 'open' && findSubscription(world, one) === subscription)
