import type pg from 'pg'
import { invariants, type Rule } from './invariants/all.ts'
import type { Departed } from './invariants/scene.ts'
import { playStep } from './play.ts'
import { clearStage } from './stage.ts'
import type { History, Step } from './steps.ts'
import { openTheatre, type Theatre } from './theatre.ts'
import { readState, type State } from './witness.ts'

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
  mails: number
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
    broken = problem ?? look(theatre, { step, state, before, mailsBefore, index })
    if (broken) break
    before = state
  }
  await clearStage(pool)
  return { broken, mails: theatre.post.mails.length, deadlocks: theatre.deadlocks }
}

interface Seen {
  step: Step
  state: State
  before: State | null
  mailsBefore: number
  index: number
}

function look(theatre: Theatre, { step, state, before, mailsBefore, index }: Seen): Broken | null {
  const { mails } = theatre.post
  const fresh = mails.slice(mailsBefore).filter((mail): mail is Departed => mail.evidence !== undefined)
  const scene = { theatre, step, state, before, mails, fresh }
  for (const [rule, holds] of Object.entries(invariants)) {
    const words = holds(scene)
    if (words.length > 0) return { rule: rule as Rule, step: index, words }
  }
  return null
}

/** What Postgres says of who waited for whom, and where we were. */
function sayError(error: Error & { detail?: string; where?: string }): string[] {
  const ours = (error.stack ?? '').split('\n').filter((line) => line.includes('/server/'))
  return [String(error), error.detail, error.where, ...ours.slice(0, 3)].filter((each) => each !== undefined)
}
