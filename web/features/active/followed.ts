import type { ActiveCart, FollowedCart } from '../../../shared/carts/active-carts.ts'
import type { MessageView, TimelineEntry } from '../../../shared/carts/carts.ts'
import type { FlowView } from '../../../shared/marketing/flows.ts'
import { formatMinutes, formatMoney } from '../../core/ui/format.ts'

// Derives the steps of a cart from its first product to its outcome. Reports only what the engine did or plans. Pure.

export type StepName = 'cart' | 'email' | 'abandoned' | 'sent' | 'clicked' | 'bought'

export interface FollowedStep {
  name: StepName
  title: string
  text: string
  /** `now`: in progress; `problem`: will not happen unless something changes. */
  state: 'done' | 'now' | 'later' | 'problem'
  /** Expected time, for a countdown. */
  at?: string
  /** What the order brought. */
  amount?: string
}

export interface CartProgress {
  found: Pick<FollowedCart, 'cart' | 'nameless' | 'email'> | undefined
  /** Email address that identifies the cart; null follows the newest cart. */
  email: string | null
  flows: Pick<FlowView, 'id' | 'isOn' | 'steps'>[] | undefined
  messages: readonly MessageView[]
  timeline: readonly TimelineEntry[]
  /** The order the cart became. */
  order: { net: number; currency: string } | null
}

export function buildFollowedSteps(known: CartProgress): FollowedStep[] {
  const steps = [
    buildCartStep(known),
    buildEmailStep(known),
    buildAbandonedStep(known),
    buildSentStep(known),
    buildClickedStep(known),
    buildBoughtStep(known),
  ]
  // Only the first open step is in progress. Problems are shown on every step.
  const next = steps.findIndex(({ state }) => state !== 'done')
  return steps.map((step, index) => (step.state === 'now' && index !== next ? { ...step, state: 'later' } : step))
}

const OVER = ['recovered', 'purchased', 'emptied', 'lost'] as const

/** The cart has reached its end. */
export const isOver = (cart: ActiveCart | null | undefined): boolean =>
  cart !== null && cart !== undefined && OVER.some((state) => state === cart.state)

type StepStatus = Omit<FollowedStep, 'name' | 'title'>

const isBought = (cart: ActiveCart) => cart.state === 'recovered' || cart.state === 'purchased'

function buildCartStep({ found }: CartProgress): FollowedStep {
  const cart = found?.cart ?? found?.nameless
  const captureStep: StepStatus = cart
    ? { state: 'done', text: `${formatItems(cart)}, ${formatMoney(cart.total, cart.currency)}` }
    : { state: 'now', text: 'Put something in the cart in the shop.' }
  return { name: 'cart', title: 'Cart', ...captureStep }
}

export const formatItems = ({ items }: Pick<ActiveCart, 'items'>): string =>
  items
    .map(({ product_name, quantity }) => (quantity > 1 ? `${quantity} × ${product_name}` : product_name))
    .join(', ') || 'No products known to the store'

function buildEmailStep({ found, email }: CartProgress): FollowedStep {
  const step = { name: 'email', title: 'Email address' } as const
  const contact = found?.cart?.customer_email ?? found?.cart?.unconfirmed.email
  if (!contact) return { ...step, state: 'now', text: `Start the checkout and enter ${email ?? 'an email address'}.` }
  const would = found?.email
  if (would && !would.isPossible) {
    return { ...step, state: 'problem', text: `${contact} can’t be emailed: ${would.explanation}` }
  }
  return { ...step, state: 'done', text: contact }
}

function buildAbandonedStep({ found }: CartProgress): FollowedStep {
  const step = { name: 'abandoned', title: 'Abandoned' } as const
  const cart = found?.cart
  if (!cart) return { ...step, state: 'later', text: 'After a while without activity.' }
  if (cart.abandoned_at) return { ...step, state: 'done', text: describeQuiet(cart.abandoned_at, cart.last_activity) }
  if (isOver(cart)) {
    const text = cart.state === 'emptied' ? 'The cart was emptied before.' : 'The cart was bought before.'
    return { ...step, state: 'problem', text }
  }
  const text = 'Don’t touch the shop now. Any activity there restarts the timer.'
  return { ...step, state: 'now', text, ...(cart.abandons_at && { at: cart.abandons_at }) }
}

const MINUTE_MS = 60_000

/** `No activity for 1 minute.` */
function describeQuiet(abandonedAt: string, lastActivity: string): string {
  const minutes = Math.round((Date.parse(abandonedAt) - Date.parse(lastActivity)) / MINUTE_MS)
  return minutes >= 1 ? `No activity for ${formatMinutes(minutes)}.` : 'No activity in the shop.'
}

function buildSentStep(known: CartProgress): FollowedStep {
  return {
    name: 'sent',
    title: 'Reminder',
    ...(known.found?.cart ? describeMessage(known, known.found.cart) : LATER),
  }
}

const LATER: StepStatus = { state: 'later', text: 'The flow sends it after its delay.' }

function describeMessage({ flows, messages }: CartProgress, cart: ActiveCart): StepStatus {
  const mails = messages.filter(({ channel }) => channel === 'email')
  const sent = mails.find(({ state }) => SENT_STATES.includes(state))
  if (sent) return { state: 'done', text: sent.to ? `To ${sent.to}.` : 'Sent.' }
  const open = mails.find(({ state }) => OPEN.includes(state))
  if (open?.state === 'held' && cart.state !== 'active') return { state: 'problem', text: open.explanation }
  if (open) return { state: 'now', text: 'Every rule is checked again before it is sent.', at: open.dueAt }
  const last = mails.at(-1)
  if (last && !isBought(cart)) return { state: 'problem', text: last.explanation }
  if (isOver(cart)) return { state: 'problem', text: 'Not sent: the cart was closed first.' }
  return cart.state === 'active'
    ? describePlanned(flows, cart)
    : { state: 'problem', text: 'No message is scheduled for this cart.' }
}

const SENT_STATES = ['sending', 'sent', 'delivered', 'unknown']
const OPEN = ['scheduled', 'held', 'claimed']

/** Before abandonment no message is scheduled, so use the flow's delay. */
function describePlanned(flows: CartProgress['flows'], cart: ActiveCart): StepStatus {
  if (!flows) return LATER
  const on = flows.filter(({ isOn }) => isOn)
  if (on.length === 0) return { state: 'problem', text: 'The recovery flow is off, so no message is scheduled.' }
  const delays = on.flatMap(({ steps }) => steps.filter(({ channel }) => channel === 'email'))
  if (delays.length === 0) return { state: 'problem', text: 'The recovery flow has no email step.' }
  const minutes = Math.min(...delays.map(({ delayMinutes }) => delayMinutes))
  const at = new Date(Date.parse(cart.last_activity) + minutes * 60_000).toISOString()
  return { state: 'now', text: 'The flow’s first reminder.', at }
}

function buildClickedStep({ found, timeline }: CartProgress): FollowedStep {
  const step = { name: 'clicked', title: 'Click' } as const
  if (timeline.some(isHumanTouch))
    return { ...step, state: 'done', text: 'If they buy now, the order counts as recovered.' }
  const isOpened = timeline.some(({ kind, title }) => kind === 'visit_open' && title.endsWith('(reported)'))
  const text = isOpened ? 'The email was opened (reported). Click its link.' : 'Open the email and click its link.'
  return {
    ...step,
    state: found?.cart && isOver(found.cart) ? 'problem' : 'now',
    text: isOver(found?.cart) ? 'It was not clicked.' : text,
  }
}

const isHumanTouch = ({ kind, title }: TimelineEntry) =>
  (kind === 'click' || kind === 'restore') && !title.includes('by a machine')

function buildBoughtStep({ found, order, timeline }: CartProgress): FollowedStep {
  const step = { name: 'bought', title: 'Bought' } as const
  const cart = found?.cart
  if (cart?.state === 'recovered') {
    // The order's revenue includes shipping and tax, like the figures; the cart's total has neither.
    if (!order) return { ...step, state: 'done', text: 'The order counts as recovered.' }
    const amount = formatMoney(order.net, order.currency)
    return { ...step, state: 'done', text: `${amount} recovered.`, amount }
  }
  if (cart?.state === 'purchased') {
    return {
      ...step,
      state: 'problem',
      text: 'Bought without an email link, so it doesn’t count as recovered.',
    }
  }
  // A checkout also empties the cart, and without webhooks the order is read later.
  if (cart?.state === 'emptied' && timeline.some(isHumanTouch)) {
    const text = 'The cart is empty in the shop. An order usually arrives within a minute. “Sync now” reads it at once.'
    return { ...step, state: 'now', text }
  }
  if (isOver(cart)) return { ...step, state: 'problem', text: 'The cart was closed without a purchase.' }
  return { ...step, state: 'now', text: 'Continue to checkout and place the order.' }
}

/**
 * Link to where the inactivity time is set: the active flow if it sends that early, otherwise the recovery rules (S1).
 */
export function findTimeoutPath(flows: CartProgress['flows'], timeoutMinutes: number): string {
  const decides = flows?.find(
    ({ isOn, steps }) => isOn && steps.some(({ delayMinutes }) => delayMinutes === timeoutMinutes),
  )
  return decides ? `/flows/${decides.id}` : '/settings/recovery-rules'
}

/** "1 cart seen, email in 0:42", as far as known. */
export function findNextStep(steps: readonly FollowedStep[]): FollowedStep | undefined {
  const next = steps.find(({ state }) => state !== 'done')
  const sent = steps.find(({ name }) => name === 'sent')
  return next?.name === 'abandoned' && sent?.at ? sent : next
}

/** The step to do now: the first open one, or the first problem before it. */
export const findCurrentStep = (steps: readonly FollowedStep[]): FollowedStep | undefined =>
  steps.find(({ state }) => state === 'now' || state === 'problem')
