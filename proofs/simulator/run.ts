import type pg from 'pg'
import { type CampaignCoverage, recordRuns, summarizeCampaigns } from './campaign-actions.ts'
import { recordExpectedRecipients } from './expected-recipients.ts'
import { findFigureFaults } from './figures.ts'
import { clearFixture } from './fixture.ts'
import { type Harness, openHarness } from './harness.ts'
import { invariants, type Rule } from './invariants/all.ts'
import type { SentMail } from './invariants/scene.ts'
import { playStep } from './play.ts'
import { readSecondShop, splitScenes } from './second-shop.ts'
import { type Cart, readState, type State } from './state.ts'
import type { Channel, Scenario, Step } from './steps.ts'
import { readTraces } from './traces.ts'

// Plays a scenario and checks every invariant after every step.

export interface InvariantFailure {
  /** 'crash': the engine threw an unexpected error. */
  rule: Rule | 'Figures' | 'crash'
  /** Index of the step after which it failed, from 0. */
  step: number
  problems: string[]
}

export interface ScenarioResult {
  broken: InvariantFailure | null
  /** Messages that providers received, by channel. */
  mails: Record<Channel, number>
  /** Acts that PostgreSQL ended because of a deadlock. */
  deadlocks: number
  /** null: it has no campaigns. */
  campaigns: CampaignCoverage | null
}

export async function playScenario(pool: pg.Pool, scenario: Scenario): Promise<ScenarioResult> {
  const harness = await openHarness(pool, scenario)
  let before: State | null = null
  let beforeInOther: State | null = null
  let broken: InvariantFailure | null = null
  for (const [index, step] of scenario.steps.entries()) {
    const mailsBefore = harness.providers.mails.length
    harness.justUnsubscribed = null
    harness.isCleanedUp = false
    harness.isPassDone = false
    harness.stepStartedAt = harness.clock.trueNow()
    harness.stepNumber = index
    stockShop(harness, scenario, index)
    const problem = await playStep(harness, step).then(
      () => null,
      (error) => ({ rule: 'crash' as const, step: index, problems: describeError(error) }),
    )
    const state: State = await readState(pool, harness.fixture.storeId, before)
    if (scenario.hasCampaigns) await recordExpectedRecipients(harness, { state, before })
    if (scenario.hasCampaigns && state !== before) recordRuns(harness, state)
    const traces = state === before ? [] : await readTraces(pool, harness)
    const inOther = await readSecondShop(pool, harness, beforeInOther)
    const other = inOther && { state: inOther, before: beforeInOther }
    broken = problem ?? checkInvariants(harness, { step, state, before, mailsBefore, index, traces, other })
    if (broken) break
    before = state
    beforeInOther = inOther
    harness.carts = sortCarts(state.carts)
  }
  if (!broken) {
    const problems = await findFigureFaults(harness)
    if (problems.length > 0) broken = { rule: 'Figures', step: scenario.steps.length - 1, problems }
  }
  await harness.shop.close()
  await clearFixture(pool)
  const count = (channel: Channel) => harness.providers.mails.filter((mail) => mail.channel === channel).length
  const mails = { email: count('email'), sms: count('sms'), whatsapp: count('whatsapp'), push: count('push') }
  const campaigns = scenario.hasCampaigns ? summarizeCampaigns(harness, before) : null
  return { broken, mails, deadlocks: harness.deadlocks, campaigns }
}

function stockShop({ shop, clock }: Harness, { shortage }: Scenario, index: number): void {
  if (index === shortage?.from) for (const id of shortage.products) shop.soldOut.set(id, clock.trueNow())
  if (index === shortage?.to) shop.soldOut.clear()
  if (index === shortage?.from || index === shortage?.to) shop.restock()
}

interface Snapshot {
  step: Step
  state: State
  before: State | null
  mailsBefore: number
  index: number
  traces: string[]
  /** State of the account's second store; null: there is none. */
  other: { state: State; before: State | null } | null
}

function checkInvariants(
  harness: Harness,
  { step, state, before, mailsBefore, index, traces, other }: Snapshot,
): InvariantFailure | null {
  const { mails } = harness.providers
  const fresh = mails.slice(mailsBefore).filter((mail): mail is SentMail => mail.evidence !== undefined)
  const scene = { harness, step, state, before, mails, fresh, traces }
  for (const each of other ? splitScenes(scene, other) : [scene]) {
    for (const [rule, holds] of Object.entries(invariants)) {
      const problems = holds(each)
      if (problems.length > 0) return { rule: rule as Rule, step: index, problems }
    }
  }
  return null
}

/** Carts that can be contacted first, then by age. */
function sortCarts(carts: readonly Cart[]): Cart[] {
  const rankAbandoned = ({ status }: Cart) => Number(status === 'abandoned')
  return [...carts].sort(
    (a, b) => rankAbandoned(b) - rankAbandoned(a) || a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1),
  )
}

/** PostgreSQL's deadlock details, and the place in our code. */
function describeError(error: Error & { detail?: string; where?: string }): string[] {
  const ours = (error.stack ?? '').split('\n').filter((line) => line.includes('/server/'))
  return [String(error), error.detail, error.where, ...ours.slice(0, 3)].filter((each) => each !== undefined)
}
