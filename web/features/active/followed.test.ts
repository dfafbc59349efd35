import { expect, test } from 'vitest'
import type { ActiveCart } from '../../../shared/carts/active-carts.ts'
import type { MessageView, TimelineEntry } from '../../../shared/carts/carts.ts'
import {
  buildFollowedSteps,
  type CartProgress,
  type FollowedStep,
  findNextStep,
  findTimeoutPath,
  isOver,
  type StepName,
} from './followed.ts'

const AT = '2026-03-02T15:00:00.000Z'
const formatLater = (minutes: number) => new Date(Date.parse(AT) + minutes * 60_000).toISOString()

const cart = (more: Partial<ActiveCart> = {}) =>
  ({
    id: 'c1',
    customer_name: 'Ann',
    customer_email: 'ann@shoppers.example',
    state: 'active',
    abandoned_at: null,
    items: [{ product_name: 'Teapot', quantity: 2 }],
    total: 68,
    currency: 'USD',
    last_activity: AT,
    unconfirmed: { email: null, phone: null },
    abandons_at: formatLater(30),
    ...more,
  }) as unknown as ActiveCart

const flow = { id: 'f1', isOn: true, steps: [{ channel: 'email', delayMinutes: 60 }] } as CartProgress['flows'] extends
  | (infer Flow)[]
  | undefined
  ? Flow
  : never

const possible = { isPossible: true, reason: null, explanation: '' }

function buildSteps(known: Partial<CartProgress>): Record<StepName, FollowedStep> {
  const steps = buildFollowedSteps({
    found: undefined,
    email: 'ann@shoppers.example',
    flows: [flow],
    messages: [],
    timeline: [],
    order: null,
    ...known,
  })
  return Object.fromEntries(steps.map((step) => [step.name, step])) as Record<StepName, FollowedStep>
}

const buildFound = (more: Partial<ActiveCart> = {}, email: NonNullable<CartProgress['found']>['email'] = possible) => ({
  cart: cart(more),
  nameless: null,
  email,
})

const message = (more: Partial<MessageView>) =>
  ({
    channel: 'email',
    state: 'scheduled',
    dueAt: formatLater(60),
    to: null,
    explanation: 'Why.',
    ...more,
  }) as MessageView

const buildEntry = (kind: string, title: string) =>
  ({ kind, title, at: AT, text: '', messageId: null }) as TimelineEntry

const states = (steps: Record<StepName, FollowedStep>) => Object.values(steps).map(({ state }) => state)

test('waits only for the cart before one was seen', () => {
  expect(states(buildSteps({}))).toEqual(['now', 'later', 'later', 'later', 'later', 'later'])
})

test('counts a cart without an email as seen and waits for its email', () => {
  const steps = buildSteps({ found: { cart: null, nameless: cart({ customer_email: null }), email: null } })
  expect(steps.cart).toMatchObject({ state: 'done', text: '2 × Teapot, $68.00' })
  expect(steps.email).toMatchObject({ state: 'now', text: 'Start the checkout and enter ann@shoppers.example.' })
})

test('counts down to the abandonment of an active cart and to the first email of the flow (S1)', () => {
  const steps = buildSteps({ found: buildFound() })
  expect(steps.abandoned).toMatchObject({ state: 'now', at: formatLater(30) })
  expect(steps.sent).toMatchObject({ state: 'later', at: formatLater(60) })
  expect(findNextStep(Object.values(steps))).toMatchObject({ name: 'sent', at: formatLater(60) })
})

test('shows the reason that blocks the email while the cart is still active', () => {
  const steps = buildSteps({
    found: buildFound({}, { isPossible: false, reason: 'no_consent', explanation: 'Germany wants a yes.' }),
  })
  expect(steps.email).toMatchObject({ state: 'problem', text: expect.stringContaining('Germany wants a yes.') })
})

test('promises no email while the flow is off', () => {
  const steps = buildSteps({ found: buildFound(), flows: [{ ...flow, isOn: false }] })
  expect(steps.sent).toMatchObject({ state: 'problem', text: expect.stringContaining('flow is off') })
  expect(steps.sent.at).toBeUndefined()
})

test('shows when an abandoned cart’s message is due, why it is held, or that it was sent', () => {
  const abandoned = buildFound({ state: 'abandoned', abandoned_at: formatLater(30), abandons_at: null }, null)
  const getSentStatus = (more: Partial<MessageView>) => buildSteps({ found: abandoned, messages: [message(more)] }).sent
  expect(getSentStatus({})).toMatchObject({ state: 'now', at: formatLater(60) })
  expect(getSentStatus({ state: 'held' })).toMatchObject({ state: 'problem', text: 'Why.' })
  expect(getSentStatus({ state: 'skipped' })).toMatchObject({ state: 'problem', text: 'Why.' })
  expect(getSentStatus({ state: 'sent', to: 'ann@shoppers.example' })).toMatchObject({
    state: 'done',
    text: 'To ann@shoppers.example.',
  })
  expect(buildSteps({ found: abandoned }).sent).toMatchObject({ state: 'problem' })
})

test('counts only a human click or press as following the link (A1)', () => {
  const abandoned = buildFound({ state: 'abandoned', abandoned_at: formatLater(30), abandons_at: null }, null)
  const sent = [message({ state: 'sent' })]
  const getClickedStep = (...timeline: TimelineEntry[]) =>
    buildSteps({ found: abandoned, messages: sent, timeline }).clicked
  expect(getClickedStep(buildEntry('click', 'Link clicked (by a machine: a mail scanner)')).state).toBe('now')
  expect(getClickedStep(buildEntry('visit_open', 'Message opened (reported)')).text).toContain('was opened')
  expect(getClickedStep(buildEntry('restore', 'Cart restored')).state).toBe('done')
})

test('ends at recovered, and explains the ends "bought without the link" and "emptied"', () => {
  const over = { abandoned_at: formatLater(30), abandons_at: null }
  const messages = [message({ state: 'sent' }), message({ state: 'cancelled', dueAt: formatLater(90) })]
  const recovered = buildSteps({
    found: buildFound({ ...over, state: 'recovered' }, null),
    messages,
    timeline: [buildEntry('restore', 'Cart restored')],
    order: { net: 80.08, currency: 'USD' },
  })
  expect(states(recovered)).toEqual(['done', 'done', 'done', 'done', 'done', 'done'])
  // The cart's 68 plus shipping and tax, as in the figures.
  expect(recovered.bought).toMatchObject({ text: '$80.08 recovered.', amount: '$80.08' })
  expect(recovered.abandoned.text).toBe('No activity for 30 minutes.')
  const steps = buildSteps({ found: buildFound({ ...over, state: 'purchased' }, null), messages })
  expect(steps.bought).toMatchObject({ state: 'problem', text: expect.stringContaining('without an email link') })
  const emptied = buildSteps({ found: buildFound({ state: 'emptied', abandons_at: null }, null) })
  expect(emptied.bought.state).toBe('problem')
  expect(emptied.abandoned).toMatchObject({ state: 'problem', text: 'The cart was emptied before.' })
  expect([cart({ state: 'recovered' }), cart({ state: 'abandoned' }), null].map(isOver)).toEqual([true, false, false])
})

test('links to where the inactivity time is set: the flow that sends that early, or the recovery rules (S1)', () => {
  expect(findTimeoutPath([flow], 60)).toBe('/flows/f1')
  expect(findTimeoutPath([flow], 30)).toBe('/settings/recovery-rules')
  expect(findTimeoutPath([{ ...flow, isOn: false }], 60)).toBe('/settings/recovery-rules')
  expect(findTimeoutPath(undefined, 60)).toBe('/settings/recovery-rules')
})

test('waits for the order when a cart is empty after its link was used', () => {
  const steps = buildSteps({
    found: buildFound({ abandoned_at: formatLater(30), abandons_at: null, state: 'emptied' }, null),
    messages: [message({ state: 'sent' })],
    timeline: [buildEntry('restore', 'Cart restored')],
  })
  expect(steps.bought).toMatchObject({ state: 'now', text: expect.stringContaining('Sync now') })
})
