import { type Db, sql } from '../../server/core/db/db.ts'
import { toRefusalOutcome } from '../../server/delivery/texts/text-outcome.ts'
import type {
  Outcome,
  OutgoingPush,
  OutgoingText,
  PushAnswer,
  TextChannelName,
} from '../../server/messages/channels/channel.ts'
import type { Authorized } from '../../server/messages/channels/send-authorization.ts'
import { type Actor, ProcessKilled, type Submission, secrets } from './actors.ts'
import type { Clock } from './clock.ts'
import { type Evidence, readEvidence } from './evidence.ts'
import { findPrice, findSmsPrice } from './people.ts'
import { answerPush, chooseAnswer, type PushAttempt, type PushService } from './push-service.ts'
import type { Answer, Channel } from './steps.ts'

// Providers for mail, SMS and WhatsApp. They record each message they received, whether or not their reply arrived, and
// what the engine knew at the send.

export interface Providers {
  /** Messages to shoppers. */
  mails: SentMessage[]
  /** Opt-in requests that ask to confirm a consent (double opt-in). */
  questions: (SentMessage & { country: string | null })[]
  /** Replies to the next messages; after that the providers accept. */
  answers: Answer[]
  /** Awaited while a message is in flight. */
  atSubmission: () => Promise<void>
  take(actor: Actor, message: Submission): Promise<Outcome>
  /** null: the store has no web push. */
  push: PushService | null
  takePush(actor: Actor, message: Authorized<OutgoingPush>): Promise<PushAnswer>
}

export interface SentMessage {
  id: string
  channel: Channel
  to: string
  /** True time. */
  at: number
  /** On the engine's clock. */
  engineAt: number
  /** `gone`, `unauthorized`: of a browser, after which the person's next one is tried. */
  answer: Answer | 'gone' | 'unauthorized'
  isAccepted: boolean
  /** List price of a text; 0 for mail. */
  micros: number
  /** WhatsApp: a template, not free text. */
  isTemplate: boolean
  /** The coupon code in its text, if any. */
  code: string | null
  /** The sending process received the reply. */
  isAnswered: boolean
  evidence: Evidence | undefined
  /** Reasons that forbade the send. */
  sendBlocks: SendBlocks
}

/** Times since when each reason forbids a send, in true time; null: it does not apply. */
export interface SendBlocks {
  pausedSince: number | null
  flowOffSince: number | null
  /** Later flows, by id. */
  othersOffSince: ReadonlyMap<string, number>
  /** Automatic notifications of the store. */
  pushOffSince: number | null
  disconnectedSince: number | null
  /** Suspension of the account by an operator. */
  suspendedSince: number | null
  /** The store rests because the plan has no room for it. */
  restingSince: number | null
  unsubscribedSince: number | null
  withdrawnSince: number | null
  suppressedSince: number | null
  erasedSince: number | null
  /** This address, or a person that Recoup cannot distinguish from it, has consented on this channel at some time. */
  hasConsented: boolean
  budget: Budget
  plannedSince: number
}

/** The owner's monthly budget for texts; null: no limit. */
export interface Budget {
  micros: number | null
  since: number
}

const ACCEPTING: ReadonlySet<Answer> = new Set(['accepts', 'silent, took it', 'takes it, sender dies'])

/** Reads the present blocks; the inner function selects the store once the message's store is known. */
type StandingsOf = (channel: Channel, address: string) => (storeId: string | undefined) => SendBlocks

export function openProviders(clock: Clock, db: Db, standingsOf: StandingsOf): Providers {
  // Evidence of messages sent together is read before anything happens to the first of them.
  const readings = new Set<Promise<unknown>>()
  const providers: Providers = {
    mails: [],
    questions: [],
    answers: [],
    atSubmission: async () => {},
    push: null,
    async takePush(actor, message) {
      const world = providers.push!
      const endpoint = world.endpoints.get(message.subscription.endpoint)
      const sent: SentMessage = {
        id: message.messageId,
        channel: 'push',
        to: `push:${endpoint?.id}`,
        micros: 0,
        isTemplate: false,
        code: null,
        at: clock.trueNow(),
        engineAt: clock.now().getTime(),
        isAnswered: false,
        evidence: undefined,
        answer: 'accepts',
        isAccepted: false,
        sendBlocks: standingsOf('push', `push:${endpoint?.id}`)(undefined),
      }
      const note = {
        messageId: sent.id,
        mail: sent,
        at: sent.at,
        endpoint,
        url: message.subscription.endpoint,
        token: message.payload.token,
        topic: message.topic,
        publicKey: message.vapid.publicKey,
        sizes: [],
        alive: [],
        answer: sent.answer,
        answeredAt: null,
        isDisplayed: false,
        retryAt: null,
        by: actor.life,
      } satisfies PushAttempt as PushAttempt
      sent.answer = note.answer = chooseAnswer(world, note, providers.answers[0] ?? 'accepts')
      if (sent.answer === (providers.answers[0] ?? 'accepts') || endpoint?.status === 201) providers.answers.shift()
      providers.mails.push(sent)
      world.notes.push(note)
      const of = { id: sent.id, channel: sent.channel, hash: secrets.addressHash(sent.to), now: clock.now() }
      const reading = Promise.all([readEvidence(db, of), listActiveBrowsers(db, sent.id)])
      readings.add(reading)
      ;[sent.evidence, note.alive] = await reading.finally(() => readings.delete(reading))
      await Promise.allSettled(readings)
      await providers.atSubmission()
      const answer = await answerPush(world, note, message, sent.engineAt)
      note.isDisplayed = sent.isAccepted =
        ACCEPTING.has(note.answer as Answer) && answer.kind !== 'rejected' && answer.kind !== 'retry'
      if (note.answer === 'takes it, sender dies' || note.answer === 'sender dies first') actor.life.isDead = true
      if (actor.life.isDead) throw new ProcessKilled()
      sent.isAnswered = true
      note.answeredAt = clock.trueNow()
      return answer
    },
    async take(actor, message) {
      if (message.sendAuthorization === 'answer')
        return { kind: 'accepted', providerId: message.messageId, response: '' }
      const answer = providers.answers.shift() ?? 'accepts'
      const channel: Channel = 'channel' in message ? message.channel : 'email'
      const readBlocks = standingsOf(channel, message.to)
      const sent: SentMessage = {
        id: message.messageId,
        channel,
        to: message.to,
        at: clock.trueNow(),
        engineAt: clock.now().getTime(),
        answer,
        isAccepted: ACCEPTING.has(answer),
        micros: 'channel' in message ? computePrice(message) : 0,
        isTemplate: 'channel' in message && message.template !== null,
        code: /Code: ([\w-]+)/.exec(message.text)?.[1] ?? null,
        isAnswered: false,
        sendBlocks: readBlocks(undefined),
        evidence: undefined,
      }
      if (message.sendAuthorization === 'decision') {
        providers.mails.push(sent)
        const of = { id: sent.id, channel, hash: secrets.addressHash(message.to), now: clock.now() }
        const reading = readEvidence(db, of)
        readings.add(reading)
        sent.evidence = await reading.finally(() => readings.delete(reading))
        sent.sendBlocks = readBlocks(sent.evidence?.store)
        await Promise.allSettled(readings)
      } else providers.questions.push({ ...sent, country: await readRequestCountry(db, sent.to) })
      await providers.atSubmission()
      if (answer === 'takes it, sender dies' || answer === 'sender dies first') actor.life.isDead = true
      if (actor.life.isDead) throw new ProcessKilled()
      sent.isAnswered = true
      return 'channel' in message
        ? buildTextOutcome(answer, sent.id, message.channel)
        : buildMailOutcome(answer, sent.id)
    },
  }
  return providers
}

/** Browsers of the person that reported the cart, newest first; without a cart all of them. */
async function listActiveBrowsers(db: Db, messageId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id from messages m join push_subscriptions p on p.store_id = m.store_id and p.shopper_id = m.shopper_id
    where m.id = ${messageId} and (m.cart_id is null or p.marks && m.told_by) order by p.seen_at desc, p.id desc`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** The person's country when an opt-in request was planned. */
async function readRequestCountry(db: Db, phone: string): Promise<string | null> {
  const { rows } = await sql<{ country: string | null }>`
    select country from opt_in_requests where address_hash = ${secrets.addressHash(phone)}`.execute(db)
  return rows[0]?.country ?? null
}

/** The price of the sent text: SMS cost per segment. */
function computePrice({ channel, to, text }: OutgoingText): number {
  return channel === 'sms' ? findSmsPrice(to, text) : findPrice(to)
}

export const buildProviderId = (messageId: string): string => `p-${messageId}`

function buildMailOutcome(answer: Answer, messageId: string): Outcome {
  switch (answer) {
    case 'refuses':
    case 'opted out':
      return { kind: 'rejected', reason: 'policy', response: '550 5.7.1 No', isRecipientFault: false }
    case 'bounces':
      return { kind: 'rejected', reason: 'mailbox_unknown', response: '550 5.1.1 No such user', isRecipientFault: true }
    case 'retry':
      return { kind: 'retry', reason: 'smtp_451', response: '451 4.3.0 Later' }
    case 'accepts':
      return { kind: 'accepted', providerId: buildProviderId(messageId), response: '250 2.0.0 Ok' }
    default:
      return { kind: 'unknown', reason: 'silence', response: '' }
  }
}

/** Error codes of Twilio and Meta, by outcome. */
const CODES: Partial<Record<Answer, Record<TextChannelName, number>>> = {
  refuses: { sms: 30034, whatsapp: 132001 },
  bounces: { sms: 21614, whatsapp: 131026 },
  'opted out': { sms: 21610, whatsapp: 131050 },
}

function buildTextOutcome(answer: Answer, messageId: string, channel: TextChannelName): Outcome {
  if (answer === 'accepts') return { kind: 'accepted', providerId: buildProviderId(messageId), response: 'queued' }
  const code = CODES[answer]?.[channel]
  if (code) return toRefusalOutcome({ status: 400, code, message: 'No', retryAfterMs: null })
  if (answer === 'retry') return toRefusalOutcome({ status: 429, code: null, message: 'Slower', retryAfterMs: null })
  // Half of the unknown outcomes are server errors.
  if (answer === 'silent, took it')
    return toRefusalOutcome({ status: 503, code: null, message: '', retryAfterMs: null })
  return { kind: 'unknown', reason: 'silence', response: '' }
}
