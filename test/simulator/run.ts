import type pg from 'pg'
import { invariants, type Rule } from './invariants/all.ts'
import type { Departed } from './invariants/scene.ts'
import { playStep } from './play.ts'
import { clearStage } from './stage.ts'
import type { Channel, History, Step } from './steps.ts'
import { openTheatre, type Theatre } from './theatre.ts'
import { readTraces } from './traces.ts'
import { type Cart, readState, type State } from './witness.ts'

// Plays a history and looks at every invariant after every step.

export interface Broken {
  /** 'crash': the engine threw what it never should. */
  rule: Rule | 'crash'
  /** Of the step after which it was seen, counted from 0. */
  step: number
  words: string[]
}

export interface Played {
  broken: Broken | null
  /** What the providers were handed, by channel. */
  mails: Record<Channel, number>
  /** Acts that Postgres ended because two waited for each other. */
  deadlocks: number
}

export async function playHistory(pool: pg.Pool, history: History): Promise<Played> {
  const theatre = await openTheatre(pool, history)
  let before: State | null = null
  let broken: Broken | null = null
  for (const [index, step] of history.steps.entries()) {
    const mailsBefore = theatre.post.mails.length
    theatre.justUnsubscribed = null
    const problem = await playStep(theatre, step).then(
      () => null,
      (error) => ({ rule: 'crash' as const, step: index, words: sayError(error) }),
    )
    const state: State = await readState(pool, theatre.stage.storeId, before)
    const traces = state === before ? [] : await readTraces(pool, theatre)
    broken = problem ?? look(theatre, { step, state, before, mailsBefore, index, traces })
    if (broken) break
    before = state
    theatre.carts = inOrder(state.carts)
  }
  await clearStage(pool)
  const count = (channel: Channel) => theatre.post.mails.filter((mail) => mail.channel === channel).length
  const mails = { email: count('email'), sms: count('sms'), whatsapp: count('whatsapp') }
  return { broken, mails, deadlocks: theatre.deadlocks }
}

interface Seen {
  step: Step
  state: State
  before: State | null
  mailsBefore: number
  index: number
  traces: string[]
}

function look(theatre: Theatre, { step, state, before, mailsBefore, index, traces }: Seen): Broken | null {
  const { mails } = theatre.post
  const fresh = mails.slice(mailsBefore).filter((mail): mail is Departed => mail.evidence !== undefined)
  const scene = { theatre, step, state, before, mails, fresh, traces }
  for (const [rule, holds] of Object.entries(invariants)) {
    const words = holds(scene)
    if (words.length > 0) return { rule: rule as Rule, step: index, words }
  }
  return null
}

/** Those that can be written to first, then by age. */
function inOrder(carts: readonly Cart[]): Cart[] {
  const isLeft = ({ status }: Cart) => Number(status === 'abandoned')
  return [...carts].sort((a, b) => isLeft(b) - isLeft(a) || a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1))
}

/** What Postgres says of who waited for whom, and where we were. */
function sayError(error: Error & { detail?: string; where?: string }): string[] {
  const ours = (error.stack ?? '').split('\n').filter((line) => line.includes('/server/'))
  return [String(error), error.detail, error.where, ...ours.slice(0, 3)].filter((each) => each !== undefined)
}
