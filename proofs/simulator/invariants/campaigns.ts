import { isInAudience, isUnchanged } from '../expected-recipients.ts'
import type { Harness } from '../harness.ts'
import { listSlots } from '../new-york.ts'
import type { PlayedCampaign } from '../play-campaigns.ts'
import type { Message, Run, State } from '../state.ts'
import { canSend, describeMail, type Invariant, isCampaignSend, MOMENT_MS, OPEN, type SentMail } from './scene.ts'

// Campaigns and Runs: what campaigns send and when they must not, their figures, and recipients and times of runs.

export const checkCampaigns: Invariant = (scene) => {
  if (!scene.harness.scenario.hasCampaigns) return []
  const { harness, state, fresh } = scene
  const control = fresh
    .filter(
      ({ evidence }) => isCampaignSend(evidence) && evidence.arm === 'control' && evidence.armAt! < evidence.createdAt,
    )
    // In the step in which it is switched on, other flows may have been decided earlier.
    .filter(() => harness.scenario.holdoutPercent > 0 && harness.isFlowOn && harness.flowOnStep < harness.stepNumber)
    .map((mail) => `${describeMail(mail)} was sent to a person in the control group`)
  return [...checkStopped(harness, fresh), ...control, ...checkFigures(harness, state), ...checkEnded(scene)]
}

/** A paused, cancelled or deleted campaign sends nothing. */
function checkStopped({ campaigns: all }: Harness, fresh: readonly SentMail[]): string[] {
  return fresh.flatMap((mail) => {
    const campaign = all.find(({ id }) => mail.evidence.origin === buildOrigin(id))
    const isStopped = campaign?.stops.some(
      ({ from, until }) => mail.at - from >= MOMENT_MS && (until === null || mail.at < until),
    )
    return isStopped ? [`${describeMail(mail)} was sent while its campaign was stopped`] : []
  })
}

const FIGURES: Record<string, string> = {
  scheduled: 'waiting',
  claimed: 'waiting',
  sending: 'inFlight',
  delivered: 'sent',
}

/** D6: the counts in the list equal the rows, and add up. */
function checkFigures({ figures: reported }: Harness, { messages }: State): string[] {
  return [...reported].flatMap(
    ([
      id,
      {
        counts: { planned, ...parts },
      },
    ]) => {
      const rows = messages.filter(({ origin }) => origin === buildOrigin(id))
      const sum = Object.values(parts).reduce((total, each) => total + each, 0)
      const wrong = Object.entries(parts).filter(
        ([figure, count]) => rows.filter(({ state }) => (FIGURES[state] ?? state) === figure).length !== count,
      )
      return [
        ...(sum === planned && planned === rows.length
          ? []
          : [`${planned} are planned, the states add up to ${sum}; there are ${rows.length} rows`]),
        ...wrong.map(([figure, count]) => `${count} are counted as ${figure}, which differs from the rows`),
      ]
    },
  )
}

/** A finished campaign has no open messages; nor has a cancelled or deleted one after a worker's pass. */
const checkEnded: Invariant = ({ harness, state, step }) =>
  state.campaigns.flatMap(({ id, status, isDeleted }) => {
    const isThrough = status === 'completed' || status === 'sent'
    const campaign = harness.campaigns.find((each) => each.id === id)
    const isLookedAt =
      step.do === 'work' && harness.isPassDone && campaign !== undefined && campaign.changedInStep < harness.stepNumber
    const isOver = isLookedAt && (status === 'cancelled' || isDeleted)
    const stranded = state.messages.filter(
      (message) =>
        message.origin === buildOrigin(id) &&
        ((isThrough && message.state === 'sending') || ((isThrough || isOver) && OPEN.has(message.state))),
    )
    return stranded.map(
      (message) => `a message of a campaign that is ${isDeleted ? 'deleted' : status} is ${message.state}`,
    )
  })

const buildOrigin = (id: string) => `campaign:${id}`

export const checkRuns: Invariant = (scene) =>
  scene.harness.scenario.hasCampaigns
    ? [
        ...checkOnePerPerson(scene),
        ...checkOnePerCart(scene),
        ...checkStartTimes(scene),
        ...checkHeld(scene),
        ...checkForgotten(scene),
        ...checkStuck(scene),
        ...rowTimes(scene),
        ...checkUnwanted(scene),
      ]
    : []

/** Rows closed as duplicates, by cancellation of the campaign or by removal of the person do not count. */
const isCounted = ({ reason }: Message) =>
  reason !== 'merged' && reason !== 'campaign_cancelled' && reason !== 'campaign_left_out'

/** People may be merged later: two rows are one too many only if they had the same person when planned. */
const checkOnePerPerson: Invariant = ({ state, before }) => {
  const rows = state.messages.filter(
    // A row that a purchase closed does not count as a mail.
    (message) => isCampaignSend(message) && isCounted(message) && message.reason !== 'purchased',
  )
  return [...Map.groupBy(rows, ({ origin, step, shopper }) => `${origin} ${step} ${shopper}`).values()].flatMap(
    (some) => {
      const wereThere = some.flatMap(({ id }) => before?.messages.find((old) => old.id === id) ?? [])
      if (some.length < 2 || wereThere.length === some.length) return []
      if (wereThere.some(({ shopper }) => shopper !== some[0]!.shopper)) return []
      // Two people who were merged in this step may both have been sent theirs.
      return some.every(({ sendingAt }) => sendingAt !== null)
        ? []
        : [`run ${some[0]!.step} has ${some.length} rows for one person: ${some.map(({ state: now }) => now).join()}`]
    },
  )
}

const mayBeSent = ({ state, sendingAt }: Message) => isStillOpen(state) || sendingAt !== null

const isStillOpen = (now: string) => now === 'scheduled' || now === 'held' || now === 'claimed'

/** A person gets one message per cart and campaign, even after merges; failed ones may be retried. */
const checkOnePerCart: Invariant = (scene) => {
  const { state, mails, fresh } = scene
  const rows = state.messages.filter((message) => isCampaignSend(message) && isCounted(message))
  const twice = [...Map.groupBy(rows, ({ origin, cart }) => `${origin} ${cart}`).values()]
    .map((some) => some.toSorted((a, b) => a.step - b.step))
    // After a merge both rows are without a cart; a closed row that was not sent does not count.
    .filter((some) => !some[0]!.cart.startsWith('no cart') || some.some(({ state: now }) => isStillOpen(now)))
    .map((some) => (some[0]!.cart.startsWith('no cart') ? some.filter(mayBeSent) : some))
    .filter((some) => some.some((row, index) => index > 0 && !isRetry(scene, row, some.slice(0, index))))
    .map((some) => `a campaign has ${some.length} rows about one cart, in runs ${some.map(({ step }) => step).join()}`)
  const again = fresh.flatMap((mail) => {
    const { cart, joined, origin, step } = mail.evidence
    const others = mails.filter(
      ({ id, isAccepted, evidence: e }) =>
        id !== mail.id && isAccepted && e?.origin === origin && [cart, ...joined].includes(e.cart),
    )
    const before = others.flatMap(({ id }) => state.messages.find((each) => each.id === id) ?? [])
    return isCampaignSend(mail.evidence) && others.length > 0 && !isRetry(scene, { origin, step }, before)
      ? [`${describeMail(mail)} belongs to a campaign that has already sent about its cart`]
      : []
  })
  return [...twice, ...again]
}

/** The later row belongs to a retry run, and all earlier rows have failed. */
function isRetry(
  { harness, state }: Pick<Parameters<Invariant>[0], 'harness' | 'state'>,
  { origin, step }: Pick<Message, 'origin' | 'step'>,
  before: readonly Message[],
): boolean {
  const campaign = harness.campaigns.find(({ id }) => buildOrigin(id) === origin)
  const run = state.runs.find((each) => each.campaign === campaign?.id && each.run === step)
  const isOne = run && campaign!.retried.some(({ from, until }) => run.at >= from && run.at <= until)
  return isOne === true && before.every((message) => message.state === 'failed')
}

/** Runs start at times of the store's clock, on request, or at a late save; once per time unless played again. */
const checkStartTimes: Invariant = ({ harness, state }) =>
  harness.campaigns.flatMap((played) => {
    const all = state.runs.filter(({ campaign }) => campaign === played.id)
    const strange = all.filter(
      ({ at }) =>
        // Within the minute of the save; after a backward clock jump the time occurs again.
        !harness.hasJumped &&
        ![...played.requested, ...played.retried, ...played.saved].some(
          ({ from, until }) => at >= from && at <= until,
        ) &&
        !played.versions.some(({ schedule }) => listSlots(schedule, at).includes(at)),
    )
    const isRequested = (at: number) => played.requested.some(({ from, until }) => at >= from && at <= until)
    // A campaign that is played starts runs at future times; after a backward clock jump a past time is future again.
    const computeMost = (at: number) =>
      harness.hasJumped || isRequested(at) ? 1 + played.plays + played.requested.length : 1
    const twice = [...Map.groupBy(all, ({ at }) => at).values()].filter(
      (some) => some.length > computeMost(some[0]!.at),
    )
    return [
      ...strange.map(
        ({ run, at }) => `run ${run} is at ${new Date(at).toISOString()}, which its schedule does not contain`,
      ),
      ...twice.map((some) => `${some.length} runs are at ${new Date(some[0]!.at).toISOString()}`),
    ]
  })

const isFullPass: Invariant = ({ step, harness }) => (step.do === 'work' && harness.isPassDone ? ['yes'] : [])

/** After a worker's pass, the latest past time of a schedule has a run. */
const checkHeld: Invariant = (scene) => {
  const { harness, state, step } = scene
  if (isFullPass(scene).length === 0 || harness.hasJumped || harness.isDisconnected) return []
  // At the start of the pass: later times were not due yet.
  const by = harness.stepStartedAt + step.waitMs
  return harness.campaigns.flatMap(({ id, scheduledSince, changedInStep, stops, versions }) => {
    if (scheduledSince === null || changedInStep >= harness.stepNumber || stops.at(-1)?.until === null) return []
    const slot = listSlots(versions.at(-1)!.schedule, by).at(-1)
    if (slot === undefined || slot <= scheduledSince || stops.some(({ from, until }) => from <= slot && slot <= until!))
      return []
    const isHeld = state.runs.some(({ campaign, at }) => campaign === id && at === slot)
    return isHeld ? [] : [`the run of ${new Date(slot).toISOString()} is missing`]
  })
}

/** After a worker's pass, everyone who matched at the start of a run has a row. */
const checkForgotten: Invariant = (scene) => {
  const { harness, state } = scene
  if (isFullPass(scene).length === 0) return []
  return harness.campaigns.flatMap(({ id, expected, stops }) =>
    stops.at(-1)?.until === null
      ? []
      : [...expected].flatMap(([run, people]) =>
          people
            .filter((each) => !hasRow(state, { id, run }, each))
            .map(({ cart }) => `run ${run} has no row about cart ${cart.slice(-6)}, which matched at its start`),
        ),
  )
}

/**
 * Messages held by a pause are checked again when the campaign continues; after a backward clock jump, at that time.
 */
const checkStuck: Invariant = (scene) => {
  const { harness, state } = scene
  if (!canSend(scene) || harness.hasJumped) return []
  return harness.campaigns.flatMap(({ id, stops, changedInStep }) =>
    stops.at(-1)?.until === null || changedInStep >= harness.stepNumber
      ? []
      : state.messages
          .filter(
            (each) => each.origin === buildOrigin(id) && each.state === 'held' && each.reason === 'campaign_paused',
          )
          .map((each) => `message ${each.id.slice(-6)} is held by a pause that has ended`),
  )
}

/** A row about that cart in any run: an earlier run that continued in the same pass may have been first. */
const hasRow = ({ messages }: State, { id, run }: { id: string; run: number }, of: { cart: string; shopper: string }) =>
  messages.some(
    ({ origin, step, cart, shopper }) =>
      origin === buildOrigin(id) && (cart === of.cart || (step === run && shopper === of.shopper)),
  )

/** No row contradicts the filters, for carts that were unchanged since. */
const checkUnwanted: Invariant = ({ harness, state, before }) =>
  harness.campaigns.flatMap(({ id, versions, retried }) => {
    if (versions.some(({ plan }) => plan.people !== 'matching' || plan.filters.mailedBefore)) return []
    const fresh = state.messages.filter(
      (message) => message.origin === buildOrigin(id) && !before?.messages.some((old) => old.id === message.id),
    )
    return fresh.flatMap((message) => {
      const run = state.runs.find((each) => each.campaign === id && each.run === message.step)
      const cart = state.carts.find((each) => each.id === message.cart)
      if (!run || !cart || retried.some(({ from, until }) => run.at >= from && run.at <= until)) return []
      if (!isUnchanged(cart.id, state, before) || !isCounted(message)) return []
      return versions.some(({ plan }) => isInAudience(plan.filters, cart, run.startedAt))
        ? []
        : [`run ${message.step} has a row about cart ${cart.id.slice(-6)}, which its filters exclude`]
    })
  })

const HOUR_MS = 3_600_000

/** A new row is due at the later of the run and the last activity plus the delay, spread over the owner's interval. */
const rowTimes: Invariant = ({ harness, state, before }) =>
  harness.campaigns.flatMap(({ id, versions }) =>
    state.messages
      .filter((message) => message.origin === buildOrigin(id) && isCounted(message))
      .filter((message) => !before?.messages.some((old) => old.id === message.id && old.dueAt === message.dueAt))
      .flatMap((message) => {
        const run = state.runs.find((each) => each.campaign === id && each.run === message.step)
        const isRight = run && versions.some((version) => isDueThen({ message, run, state, before }, version))
        return isRight ? [] : [`run ${message.step} has a row that is due at ${new Date(message.dueAt).toISOString()}`]
      }),
  )

interface Row {
  message: Message
  run: Run
  state: State
  before: State | null
}

function isDueThen({ message, run, state, before }: Row, { plan }: PlayedCampaign['versions'][number]): boolean {
  const carts = [state, before].flatMap((each) => each?.carts.find(({ id }) => id === message.cart) ?? [])
  const hasDelay = carts.length > 0 && plan.people !== 'customers'
  const times = hasDelay ? carts.map(({ lastActivityAt }) => lastActivityAt + plan.delay * HOUR_MS) : [run.at]
  return times
    .map((at) => message.dueAt - Math.max(run.at, at))
    .some((later) => later >= 0 && later <= (plan.spreadHours ?? 0) * HOUR_MS)
}
