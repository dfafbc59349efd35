import { AppError } from '../../server/core/common/errors.ts'
import { sendReply } from '../../server/delivery/inbound/inbound.ts'
import { startJob } from '../../server/marketing/manual-sends/bulk-sends.ts'
import { sendManually } from '../../server/marketing/manual-sends/manual.ts'
import { isTextChannelName } from '../../server/messages/channels/traits.ts'
import { type ActOf, type Harness, type ManualRequest, openAccountHandle, openStoreHandle } from './harness.ts'
import { listNumbers } from './people.ts'
import { buildProviderId } from './providers.ts'
import type { Act, Answer } from './steps.ts'
import { type DeliveryReport, deliverInbound, deliverReport, type InboundMessage } from './texts.ts'

// Acts around texts: inbound messages, delivery reports, and manual sends of the owner.

type Players<Kind extends Act['do']> = { [Each in Kind]: (harness: Harness, act: ActOf<Each>) => Promise<unknown> }

export const textPlayers: Players<'says' | 'late words arrive' | 'report' | 'late reports arrive'> = {
  async says(harness, { person, channel, keyword, network }) {
    const { clock, people } = harness
    // The number that WhatsApp uses for this phone.
    const from = people[person]!.phones.at(channel === 'sms' ? 0 : -1)!
    const inbound: InboundMessage = {
      id: `in-${clock.trueNow()}-${harness.arrivals++}`,
      channel,
      from,
      keyword,
      sentAt: clock.trueNow(),
      isForged: network === 'forged',
    }
    if (network === 'late') return harness.lateInbound.push(inbound)
    await receiveText(harness, inbound)
    if (network === 'twice') await receiveText(harness, inbound)
  },
  async 'late words arrive'(harness, { isReversed }) {
    const late = harness.lateInbound.splice(0)
    for (const inbound of isReversed ? late.reverse() : late) await receiveText(harness, inbound)
  },
  async report(harness, { text, status, code, network }) {
    const sent = harness.providers.mails.filter(({ channel }) => channel === 'sms' || channel === 'whatsapp')[text]
    if (!sent?.isAccepted || !isTextChannelName(sent.channel)) return
    const { id: messageId, channel } = sent
    const at = harness.clock.trueNow()
    const base = { channel, messageId, providerId: buildProviderId(messageId), at, isForged: network === 'forged' }
    const report: DeliveryReport = { ...base, status, code }
    if (network === 'late') return harness.lateReports.push(report)
    await deliverOneReport(harness, report)
    if (network === 'twice') await deliverOneReport(harness, report)
  },
  async 'late reports arrive'(harness, { isReversed }) {
    const late = harness.lateReports.splice(0)
    for (const report of isReversed ? late.reverse() : late) await deliverOneReport(harness, report)
  },
}

async function deliverOneReport(harness: Harness, report: DeliveryReport): Promise<void> {
  await deliverReport(harness.web.deps, harness.fixture.accountId, report)
  if (report.isForged) throw new Error('a forged report was accepted')
  const known = harness.reported.get(report.messageId) ?? new Set()
  harness.reported.set(report.messageId, known.add(report.status))
  const { failedAt, clock } = harness
  if (report.status === 'failed' && !failedAt.has(report.messageId)) failedAt.set(report.messageId, clock.trueNow())
}

/** Within this time, a phone's dates do not show which message came first. */
const TOGETHER_MS = 2_000

async function receiveText(harness: Harness, inbound: InboundMessage): Promise<void> {
  const { unsubscribed, keywords, lastInboundAt, clock } = harness
  await deliverInbound(harness.web.deps, harness.fixture.accountId, inbound)
  if (inbound.isForged) throw new Error('a forged inbound message was accepted')
  for (const owed of harness.environment.replies.splice(0)) await sendReply(harness.web.deps, owed)
  const { channel, keyword, sentAt } = inbound
  const last = keywords.get(`${channel}:${inbound.from}`)
  if (keyword === 'STOP' || keyword === 'START') {
    if (!last || last.sentAt <= sentAt) keywords.set(`${channel}:${inbound.from}`, { keyword, sentAt })
  }
  const isOvertaken = last !== undefined && last.keyword !== keyword && last.sentAt > sentAt - TOGETHER_MS
  for (const number of listNumbers(inbound.from)) {
    const key = `${channel}:${number}`
    if (channel === 'whatsapp') lastInboundAt.set(number, clock.trueNow())
    if (keyword === 'STOP' && !isOvertaken) {
      unsubscribed.set(key, unsubscribed.get(key) ?? clock.trueNow())
      harness.justUnsubscribed = { channel, address: number }
    }
    if (keyword === 'START' && !(isOvertaken && last.sentAt > sentAt + TOGETHER_MS)) unsubscribed.delete(key)
  }
}

const DAY_MS = 86_400_000
const PRESS_MS = 60_000

type Work = (worker: { worker: number; answers: readonly Answer[] }) => Promise<void>

/** The worker runs while the request waits for a reply, or right after a request that starts a job. */
export async function playManualSend(harness: Harness, act: ActOf<'manual'>, work: Work): Promise<void> {
  const { carts, clock } = harness
  const ids = act.carts.flatMap((place) => carts[place % Math.max(1, carts.length)]?.id ?? [])
  if (ids.length === 0) return
  const { worker, answers } = act
  const works = worker === null ? null : () => work({ worker, answers })
  const callOff = works && !act.isBulk ? clock.after(1, works) : null
  try {
    await ask(harness, act, ids)
  } finally {
    callOff?.()
    if (act.isBulk) await works?.()
  }
}

async function ask(harness: Harness, act: ActOf<'manual'>, ids: readonly string[]): Promise<void> {
  const { clock, manual, fixture, web } = harness
  const { channel, overrideHoldout, isBulk } = act
  const connection = {
    channel,
    cartIds: [...new Set(isBulk ? ids : ids.slice(0, 1))],
    overrideHoldout,
    laterHours: act.laterHours,
  }
  const body = JSON.stringify([connection, isBulk])
  const key = act.key === null ? `press ${body}` : `key ${act.key}`
  const now = clock.now().getTime()
  const before = manual.requests.get(key)
  const lastsMs = act.key === null ? PRESS_MS : DAY_MS
  const isOver = !before || clock.trueNow() - before.at >= lastsMs || Math.abs(now - before.engineAt) >= lastsMs
  const attempt = isOver ? { body, at: clock.trueNow(), engineAt: now, waiting: 0, isRecorded: false } : before
  if (isOver) {
    manual.requests.set(key, attempt)
    manual.allowed += connection.cartIds.length
  }
  attempt.waiting += 1
  const sendAt = act.laterHours === null ? null : new Date(now + act.laterHours * 3_600_000)
  const account = openAccountHandle(harness)
  const request = { session: fixture.session, account, key: act.key === null ? null : `key-${act.key}`, body: { body } }
  try {
    const one = { cartId: connection.cartIds[0]!, channel, overrideHoldout, sendAt }
    const many = { channel, overrideHoldout, sendAt, cartIds: connection.cartIds }
    const reply = isBulk
      ? await startJob(web.deps, openStoreHandle(harness), request, many).then(() => null)
      : await sendManually(web.deps, openStoreHandle(harness), request, one)
    attempt.waiting -= 1
    attempt.isRecorded = true
    if (!manual.requests.has(key)) manual.requests.set(key, attempt)
    if (reply?.state === 'sent' && reply.messageId) manual.reportedSent.push(reply.messageId)
  } catch (error) {
    attempt.waiting -= 1
    if (error instanceof AppError)
      recordRefusal(harness, {
        key,
        request: attempt,
        error,
        isPress: act.key === null,
        count: connection.cartIds.length,
      })
    throw error
  }
}

/** A refused request frees its key, also for a concurrent one, which may already have a message of its own. */
function recordRefusal(
  { manual }: Harness,
  {
    key,
    request,
    error,
    isPress,
    count,
  }: { key: string; request: ManualRequest; error: AppError; isPress: boolean; count: number },
): void {
  const isWritten = error.fields?.reason !== undefined
  request.isRecorded ||= isWritten
  if (isWritten && isPress && request.waiting > 0) manual.allowed += count
  if (!request.isRecorded && request.waiting === 0) manual.allowed -= count
  if ((!isWritten || isPress) && manual.requests.get(key) === request) manual.requests.delete(key)
}
