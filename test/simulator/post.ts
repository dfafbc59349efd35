import type { Outcome, OutgoingEmail } from '../../server/channels/channel.ts'
import type { Db } from '../../server/db.ts'
import { type Actor, Killed } from './actors.ts'
import type { Clock } from './clock.ts'
import type { Answer } from './steps.ts'
import { type Evidence, readEvidence } from './witness.ts'

// The mail provider of a history. It knows what it took, whatever became of its answer, and notes what the engine knew
// when it handed over.

export interface Post {
  mails: Mail[]
  /** What it does with the next mails; after that it accepts. */
  answers: Answer[]
  /** Awaited while a mail is on the wire. */
  onWire: () => Promise<void>
  take(actor: Actor, mail: OutgoingEmail): Promise<Outcome>
}

export interface Mail {
  id: string
  to: string
  /** True time. */
  at: number
  answer: Answer
  isTaken: boolean
  evidence: Evidence | undefined
  /** Since when each of these forbade it, in true time; null: it did not. */
  standing: Standing
}

/** What the owner and the shoppers had said by then. */
export interface Standing {
  pausedSince: number | null
  flowOffSince: number | null
  disconnectedSince: number | null
  unsubscribedSince: number | null
  withdrawnSince: number | null
}

const TAKEN: ReadonlySet<Answer> = new Set(['accepts', 'silent, took it', 'takes it, sender dies'])

export function openPost(clock: Clock, db: Db, standingOf: (address: string) => Standing): Post {
  // What was known of mails that left together is read before anything happens to the first of them.
  const readings = new Set<Promise<unknown>>()
  const post: Post = {
    mails: [],
    answers: [],
    onWire: async () => {},
    async take(actor, mail) {
      const answer = post.answers.shift() ?? 'accepts'
      const seen: Mail = {
        id: mail.messageId,
        to: mail.to,
        at: clock.trueNow(),
        answer,
        isTaken: TAKEN.has(answer),
        standing: { ...standingOf(mail.to) },
        evidence: undefined,
      }
      post.mails.push(seen)
      const reading = readEvidence(db, mail.messageId)
      readings.add(reading)
      seen.evidence = await reading.finally(() => readings.delete(reading))
      await Promise.allSettled(readings)
      await post.onWire()
      if (answer === 'takes it, sender dies' || answer === 'sender dies first') actor.life.isDead = true
      if (actor.life.isDead) throw new Killed()
      return outcomeOf(answer, mail.messageId)
    },
  }
  return post
}

function outcomeOf(answer: Answer, messageId: string): Outcome {
  switch (answer) {
    case 'refuses':
      return { kind: 'rejected', reason: 'policy', response: '550 5.7.1 No', isRecipientFault: false }
    case 'bounces':
      return { kind: 'rejected', reason: 'mailbox_unknown', response: '550 5.1.1 No such user', isRecipientFault: true }
    case 'retry':
      return { kind: 'retry', reason: 'smtp_451', response: '451 4.3.0 Later' }
    case 'accepts':
      return { kind: 'accepted', providerId: `p-${messageId}`, response: '250 2.0.0 Ok' }
    default:
      return { kind: 'unknown', reason: 'silence', response: '' }
  }
}
