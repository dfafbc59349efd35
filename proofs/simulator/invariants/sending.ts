import type { Harness } from '../harness.ts'
import { POOL_SIZE } from '../pool.ts'
import type { SentMessage } from '../providers.ts'
import type { Message, State } from '../state.ts'
import {
  describeMail,
  type Invariant,
  isCampaignSend,
  isFlowSend,
  isManualSend,
  MOMENT_MS,
  OPEN,
  type SentMail,
} from './scene.ts'

// D1, D5, D6, D7, D10: which messages are sent, how often, and the states of their rows.

/** Replies that prove a rejection. */
const UNTAKEN: ReadonlySet<SentMessage['answer']> = new Set(['retry', 'gone', 'unauthorized'])

/** A message is accepted at most once, a step uses one channel, and nothing is retried after a possible acceptance. */
export const D1: Invariant = ({ mails, fresh }) => {
  const settled = new Map<string, string>()
  const broken: string[] = []
  for (const mail of mails) {
    const before = settled.get(mail.id)
    if (before) broken.push(`mail ${mail.id.slice(-6)} to ${mail.to} was sent again after: ${before}`)
    if (!UNTAKEN.has(mail.answer)) settled.set(mail.id, mail.answer)
  }
  for (const mail of fresh) {
    const { cart, origin, step, stepId } = mail.evidence
    const other = mails.find(
      ({ id, isAccepted, evidence: e }) =>
        id !== mail.id &&
        isAccepted &&
        e?.cart === cart &&
        e.origin === origin &&
        (stepId === null ? e.step === step : e.stepId === stepId),
    )
    if (other && mail.isAccepted) broken.push(`${describeMail(mail)} is a step that was sent by ${other.channel}`)
  }
  return broken
}

/** S6 covers open messages of a merged cart. */
const ENDED: ReadonlySet<string> = new Set(['purchased', 'recovered', 'emptied', 'lost'])

const isOwnNotification = ({ origin }: { origin: string }) => origin.startsWith('push:')

/** Pause, disconnect and purchase apply to every message not yet sent. (Unsubscribes: C2.) */
export const D5: Invariant = ({ harness, step, state, before, fresh }) => {
  const forbidden = fresh.flatMap((mail) => {
    const { pausedSince, disconnectedSince } = mail.sendBlocks
    const reasons = {
      paused: pausedSince,
      'switched off': findOffSince(harness, mail),
      disconnected: disconnectedSince,
    }
    // Manual messages do not depend on the flow, and may be about a lost cart.
    const isOwn = isManualSend(mail.evidence)
    if (isOwn || isCampaignSend(mail.evidence)) reasons['switched off'] = null
    const sendBlocks = Object.entries(reasons).filter(([, since]) => since !== null && mail.at - since >= MOMENT_MS)
    const { cartStatus } = mail.evidence
    const isOver = cartStatus !== null && ENDED.has(cartStatus) && !(isOwn && cartStatus === 'lost')
    return [
      ...sendBlocks.map(([why]) => `${describeMail(mail)} was sent while ${why}`),
      ...(isOver ? [`${describeMail(mail)} was sent for a cart that is ${cartStatus}`] : []),
    ]
  })
  const over = new Map(state.carts.filter((cart) => ENDED.has(cart.status)).map((cart) => [cart.id, cart.status]))
  const sending = state.messages
    .filter((message) => OPEN.has(message.state) && over.has(message.cart))
    .filter((message) => !(isManualSend(message) && over.get(message.cart) === 'lost'))
    .filter((message) => !isManualSend(message) || wasOpen(before, message))
    .map((message) => `step ${message.step} is ${message.state} for a cart that is ${over.get(message.cart)}`)
  const isJustClosed = step.do === 'disconnect' && before?.isActive
  const stillOpen = isJustClosed ? state.messages.filter((message) => OPEN.has(message.state)) : []
  return [...forbidden, ...sending, ...stillOpen.map((message) => `step ${message.step} is open after disconnecting`)]
}

function findOffSince({ fixture }: Harness, { evidence, sendBlocks }: SentMail): number | null {
  if (isOwnNotification(evidence)) return sendBlocks.pushOffSince
  const flowId = evidence.origin.slice('flow:'.length)
  if (!isFlowSend(evidence) || flowId === fixture.flowId) return sendBlocks.flowOffSince
  return sendBlocks.othersOffSince.get(flowId) ?? null
}

/** A manual message for an ended cart is rejected at its first check. */
function wasOpen(before: State | null, { id, cart }: Message): boolean {
  const status = before?.carts.find((each) => each.id === cart)?.status ?? 'lost'
  return !ENDED.has(status) && before!.messages.some((each) => each.id === id)
}

const MOVES: Record<string, readonly string[]> = {
  sending: ['sent', 'delivered', 'failed', 'unknown', 'held', 'scheduled', 'claimed', 'skipped', 'cancelled'],
  // A slow process was considered dead: its late reply may prove a rejection.
  unknown: ['sent', 'delivered', 'failed', 'held', 'scheduled', 'claimed', 'skipped', 'cancelled'],
  sent: ['delivered', 'failed'],
  delivered: ['failed'],
}

/** planned = the sum of all states: no row disappears, and final states do not change. */
export const D6: Invariant = ({ state, before }) => {
  if (!before) return []
  const now = new Map(state.messages.map((message) => [message.id, message]))
  return before.messages.flatMap((old) => {
    const message = now.get(old.id)
    if (!message) return [`step ${old.step} (${old.state}) has disappeared`]
    if (OPEN.has(old.state) || message.state === old.state || MOVES[old.state]?.includes(message.state)) return []
    return [`step ${old.step} went from ${old.state} (${old.reason}) to ${message.state} (${message.reason})`]
  })
}

const FLOW_AGE_MS = 24 * 3_600_000
const MANUAL_AGE_MS = 3_600_000
const CAMPAIGN_AGE_MS = 72 * 3_600_000

function findMaxAge(of: { origin: string }): number {
  if (isManualSend(of)) return MANUAL_AGE_MS
  return isCampaignSend(of) ? CAMPAIGN_AGE_MS : FLOW_AGE_MS
}

/**
 * Messages are sent when due, and at most a day later (manual: an hour; campaign: three days), on the engine's clock.
 */
export const D7: Invariant = ({ fresh }) =>
  fresh.flatMap((mail) => {
    const { dueAt, sendingAt } = mail.evidence
    if (sendingAt < dueAt)
      return [`${describeMail(mail)} was sent ${(dueAt - sendingAt) / 60_000} min before it was due`]
    if (sendingAt - dueAt <= findMaxAge(mail.evidence)) return []
    return [`${describeMail(mail)} was sent ${(sendingAt - dueAt) / 3_600_000} h after it was due`]
  })

const hasBeenSent = (mails: readonly { id: string }[], { id }: { id: string }) => mails.some((mail) => mail.id === id)

/** Time that later batches wait for messages in flight. */
const PATIENCE_MS = 5_000

/**
 * A process has at most one pool of messages in flight, and at most one per person: within a batch, and across two if
 * the second sends before the first is settled. (Two people merged while the process stalls after its send may both
 * have a row there, of which one is sent.)
 */
export const D10: Invariant = ({ fresh, mails }) =>
  fresh.flatMap((mail) => {
    const { inFlight: concurrent, shopper, state, sendingAt } = mail.evidence
    const inFlight = concurrent.filter((other) => !other.isAnswered)
    const batch = concurrent.filter((other) => Math.abs(other.sendingAt - sendingAt) < PATIENCE_MS)
    const same = batch.filter((other) => other.shopper === shopper && other.id !== mail.id && hasBeenSent(mails, other))
    return [
      ...(inFlight.length > POOL_SIZE ? [`${inFlight.length} are in flight at once; the limit is ${POOL_SIZE}`] : []),
      ...(same.length > 0 ? [`${describeMail(mail)} is in flight together with another one to the same person`] : []),
      ...(state === 'sending' ? [] : [`${describeMail(mail)} is in flight, but its row has state ${state}`]),
    ]
  })
