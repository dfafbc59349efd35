import { sendReply } from '../../server/channels/inbound.ts'
import { AppError } from '../../server/errors.ts'
import { sendByHand } from '../../server/messages/by-hand.ts'
import { startJob } from '../../server/messages/send-jobs.ts'
import { numbersOf } from './people.ts'
import { providerIdOf } from './post.ts'
import type { Act, Answer } from './steps.ts'
import { deliverReport, deliverWords, type Report, type Words } from './texts.ts'
import { type ActOf, type Asked, handle, type Theatre } from './theatre.ts'

// Acts around texts: what people write, what providers report, and what the owner sends by hand.

type Players<Kind extends Act['do']> = { [Each in Kind]: (theatre: Theatre, act: ActOf<Each>) => Promise<unknown> }

export const textPlayers: Players<'says' | 'late words arrive' | 'report' | 'late reports arrive'> = {
  async says(theatre, { person, channel, words, network }) {
    const { clock, people } = theatre
    // From the number that is the network's own for this phone.
    const from = people[person]!.phones.at(channel === 'sms' ? 0 : -1)!
    const said: Words = {
      id: `in-${clock.trueNow()}-${theatre.arrivals++}`,
      ...{ channel, from, words, saidAt: clock.trueNow(), isForged: network === 'forged' },
    }
    if (network === 'late') return theatre.lateWords.push(said)
    await hear(theatre, said)
    if (network === 'twice') await hear(theatre, said)
  },
  async 'late words arrive'(theatre, { isReversed }) {
    const late = theatre.lateWords.splice(0)
    for (const said of isReversed ? late.reverse() : late) await hear(theatre, said)
  },
  async report(theatre, { text, status, code, network }) {
    const seen = theatre.post.mails.filter(({ channel }) => channel !== 'email')[text]
    if (!seen?.isTaken || seen.channel === 'email') return
    const { id: messageId, channel } = seen
    const at = theatre.clock.trueNow()
    const base = { channel, messageId, providerId: providerIdOf(messageId), at, isForged: network === 'forged' }
    const report: Report = { ...base, status, code }
    if (network === 'late') return theatre.lateReports.push(report)
    await tell(theatre, report)
    if (network === 'twice') await tell(theatre, report)
  },
  async 'late reports arrive'(theatre, { isReversed }) {
    const late = theatre.lateReports.splice(0)
    for (const report of isReversed ? late.reverse() : late) await tell(theatre, report)
  },
}

async function tell(theatre: Theatre, report: Report): Promise<void> {
  await deliverReport(theatre.web.deps, theatre.stage.accountId, report)
  if (report.isForged) throw new Error('a forged report was taken for the provider’s')
  const known = theatre.reported.get(report.messageId) ?? new Set()
  theatre.reported.set(report.messageId, known.add(report.status))
  const { failedAt, clock } = theatre
  if (report.status === 'failed' && !failedAt.has(report.messageId)) failedAt.set(report.messageId, clock.trueNow())
}

/** Within these, a phone's dates do not tell what was said first. */
const TOGETHER_MS = 2_000

async function hear(theatre: Theatre, said: Words): Promise<void> {
  const { unsubscribed, keywords, wrote, clock } = theatre
  await deliverWords(theatre.web.deps, theatre.stage.accountId, said)
  if (said.isForged) throw new Error('forged words were taken for a person’s')
  for (const owed of theatre.outside.replies.splice(0)) await sendReply(theatre.web.deps, owed)
  const { channel, words, saidAt } = said
  const last = keywords.get(`${channel}:${said.from}`)
  if (words === 'STOP' || words === 'START') {
    if (!last || last.saidAt <= saidAt) keywords.set(`${channel}:${said.from}`, { words, saidAt })
  }
  const isOvertaken = last !== undefined && last.words !== words && last.saidAt > saidAt - TOGETHER_MS
  for (const number of numbersOf(said.from)) {
    const key = `${channel}:${number}`
    if (channel === 'whatsapp') wrote.set(number, clock.trueNow())
    if (words === 'STOP' && !isOvertaken) {
      unsubscribed.set(key, unsubscribed.get(key) ?? clock.trueNow())
      theatre.justUnsubscribed = { channel, address: number }
    }
    if (words === 'START' && !(isOvertaken && last.saidAt > saidAt + TOGETHER_MS)) unsubscribed.delete(key)
  }
}

const DAY_MS = 86_400_000
const PRESS_MS = 60_000

type Work = (worker: { worker: number; answers: readonly Answer[] }) => Promise<void>

/** The worker works as soon as the request waits for an answer; for a job, which nobody waits for, right after it. */
export async function sendSome(theatre: Theatre, act: ActOf<'by hand'>, work: Work): Promise<void> {
  const { carts, clock } = theatre
  const ids = act.carts.flatMap((place) => carts[place % Math.max(1, carts.length)]?.id ?? [])
  if (ids.length === 0) return
  const { worker, answers } = act
  const works = worker === null ? null : () => work({ worker, answers })
  const callOff = works && !act.isBulk ? clock.after(1, works) : null
  try {
    await ask(theatre, act, ids)
  } finally {
    callOff?.()
    if (act.isBulk) await works?.()
  }
}

async function ask(theatre: Theatre, act: ActOf<'by hand'>, ids: readonly string[]): Promise<void> {
  const { clock, byHand, stage, web } = theatre
  const { channel, overrideHoldout, isBulk } = act
  const wanted = {
    channel,
    cartIds: [...new Set(isBulk ? ids : ids.slice(0, 1))],
    overrideHoldout,
    laterHours: act.laterHours,
  }
  const body = JSON.stringify([wanted, isBulk])
  const key = act.key === null ? `press ${body}` : `key ${act.key}`
  const now = clock.now().getTime()
  const before = byHand.asked.get(key)
  const lastsMs = act.key === null ? PRESS_MS : DAY_MS
  const isOver = !before || clock.trueNow() - before.at >= lastsMs || Math.abs(now - before.engineAt) >= lastsMs
  const asked = isOver ? { body, at: clock.trueNow(), engineAt: now, waiting: 0, isMade: false } : before
  if (isOver) {
    byHand.asked.set(key, asked)
    byHand.allowed += wanted.cartIds.length
  }
  asked.waiting += 1
  const sendAt = act.laterHours === null ? null : new Date(now + act.laterHours * 3_600_000)
  const request = { session: stage.session, key: act.key === null ? null : `key-${act.key}`, body: { body } }
  try {
    const one = { cartId: wanted.cartIds[0]!, channel, overrideHoldout, sendAt }
    const many = { channel, overrideHoldout, sendAt, cartIds: wanted.cartIds }
    const reply = isBulk
      ? await startJob(web.deps, handle(theatre), request, many).then(() => null)
      : await sendByHand(web.deps, handle(theatre), request, one)
    asked.waiting -= 1
    asked.isMade = true
    if (!byHand.asked.has(key)) byHand.asked.set(key, asked)
    if (reply?.state === 'sent' && reply.messageId) byHand.saidSent.push(reply.messageId)
  } catch (error) {
    asked.waiting -= 1
    if (error instanceof AppError)
      noteRefusal(theatre, { key, asked, error, isPress: act.key === null, count: wanted.cartIds.length })
    throw error
  }
}

/** A press that is refused is free again, also for whoever pressed at the same time: theirs may be a message of its own by now. */
function noteRefusal(
  { byHand }: Theatre,
  {
    key,
    asked,
    error,
    isPress,
    count,
  }: { key: string; asked: Asked; error: AppError; isPress: boolean; count: number },
): void {
  const isWritten = error.fields?.reason !== undefined
  asked.isMade ||= isWritten
  if (isWritten && isPress && asked.waiting > 0) byHand.allowed += count
  if (!asked.isMade && asked.waiting === 0) byHand.allowed -= count
  if ((!isWritten || isPress) && byHand.asked.get(key) === asked) byHand.asked.delete(key)
}
