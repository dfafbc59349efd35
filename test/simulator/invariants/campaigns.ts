import { isInAudience, isUnchanged } from '../expected.ts'
import type { Harness } from '../harness.ts'
import { listSlots } from '../new-york.ts'
import type { PlayedCampaign } from '../play-campaigns.ts'
import type { Message, Run, State } from '../witness.ts'
import { canSend, describeMail, type Invariant, isCampaignSend, MOMENT_MS, OPEN, type SentMail } from './scene.ts'

// Campaigns and Runs: what campaigns send and when not, whether their figures add up, whom a run writes to, and when it is.

export const checkCampaigns: Invariant = (scene) => {
  if (!scene.harness.scenario.hasCampaigns) return []
  const { harness, state, fresh } = scene
  const control = fresh
    .filter(
      ({ evidence }) => isCampaignSend(evidence) && evidence.arm === 'control' && evidence.armAt! < evidence.createdAt,
    )
    // In the step in which it is switched on, others may have been decided on before.
    .filter(() => harness.scenario.holdoutPercent > 0 && harness.isFlowOn && harness.flowOnIn < harness.stepNumber)
    .map((mail) => `${describeMail(mail)} went to somebody in the control group`)
  return [...whileStopped(harness, fresh), ...control, ...figures(harness, state), ...ended(scene)]
}

/** A campaign that is paused, cancelled or deleted hands nothing over. */
function whileStopped({ campaigns: all }: Harness, fresh: readonly SentMail[]): string[] {
  return fresh.flatMap((mail) => {
    const made = all.find(({ id }) => mail.evidence.origin === originOf(id))
    const isStopped = made?.stops.some(
      ({ from, until }) => mail.at - from >= MOMENT_MS && (until === null || mail.at < until),
    )
    return isStopped ? [`${describeMail(mail)} left while its campaign was stopped`] : []
  })
}

const FIGURES: Record<string, string> = {
  scheduled: 'waiting',
  claimed: 'waiting',
  sending: 'inFlight',
  delivered: 'sent',
}

/** D6: what the list says of a campaign is what its rows are, and adds up. */
function figures({ figures: said }: Harness, { messages }: State): string[] {
  return [...said].flatMap(
    ([
      id,
      {
        counts: { planned, ...parts },
      },
    ]) => {
      const rows = messages.filter(({ origin }) => origin === originOf(id))
      const sum = Object.values(parts).reduce((total, each) => total + each, 0)
      const wrong = Object.entries(parts).filter(
        ([figure, count]) => rows.filter(({ state }) => (FIGURES[state] ?? state) === figure).length !== count,
      )
      return [
        ...(sum === planned && planned === rows.length
          ? []
          : [`${planned} are planned, ${sum} in its parts; there are ${rows.length}`]),
        ...wrong.map(([figure, count]) => `${count} are ${figure}, and the rows say otherwise`),
      ]
    },
  )
}

/** Nothing of a campaign that is through is still to go; nor, once somebody has looked, of one that was cancelled or deleted. */
const ended: Invariant = ({ harness, state, step }) =>
  state.campaigns.flatMap(({ id, status, isDeleted }) => {
    const isThrough = status === 'completed' || status === 'sent'
    const made = harness.campaigns.find((each) => each.id === id)
    const isLookedAt =
      step.do === 'work' && harness.isLookDone && made !== undefined && made.touchedIn < harness.stepNumber
    const isOver = isLookedAt && (status === 'cancelled' || isDeleted)
    const left = state.messages.filter(
      (message) =>
        message.origin === originOf(id) &&
        ((isThrough && message.state === 'sending') || ((isThrough || isOver) && OPEN.has(message.state))),
    )
    return left.map(
      (message) => `a message of a campaign that is ${isDeleted ? 'deleted' : status} is ${message.state}`,
    )
  })

const originOf = (id: string) => `campaign:${id}`

export const checkRuns: Invariant = (scene) =>
  scene.harness.scenario.hasCampaigns
    ? [
        ...onePerPerson(scene),
        ...onePerCart(scene),
        ...atTheirTime(scene),
        ...held(scene),
        ...forgotten(scene),
        ...stuck(scene),
        ...rowTimes(scene),
        ...unwanted(scene),
      ]
    : []

/** A row that was closed for another one, or because its campaign was cancelled or its person taken out of it, is none. */
const counts = ({ reason }: Message) =>
  reason !== 'merged' && reason !== 'campaign_cancelled' && reason !== 'campaign_left_out'

/** People may be found to be one later: only while nobody was, two rows are one too many. */
const onePerPerson: Invariant = ({ state, before }) => {
  const rows = state.messages.filter(
    // What a purchase closed is no mail, of whomever it was.
    (message) => isCampaignSend(message) && counts(message) && message.reason !== 'purchased',
  )
  return [...Map.groupBy(rows, ({ origin, step, shopper }) => `${origin} ${step} ${shopper}`).values()].flatMap(
    (some) => {
      const wereThere = some.flatMap(({ id }) => before?.messages.find((old) => old.id === id) ?? [])
      if (some.length < 2 || wereThere.length === some.length) return []
      if (wereThere.some(({ shopper }) => shopper !== some[0]!.shopper)) return []
      // Of two people who were both in it, and became one in the same step, both may have had theirs.
      return some.every(({ sendingAt }) => sendingAt !== null)
        ? []
        : [`run ${some[0]!.step} has ${some.length} rows for one person: ${some.map(({ state: now }) => now).join()}`]
    },
  )
}

const mayBeHeard = ({ state, sendingAt }: Message) => isStillOpen(state) || sendingAt !== null

const isStillOpen = (now: string) => now === 'scheduled' || now === 'held' || now === 'claimed'

/** Nobody hears twice of one cart from one campaign, whatever was joined to it; but once more of what has failed, when it is tried again. */
const onePerCart: Invariant = (scene) => {
  const { state, mails, fresh } = scene
  const rows = state.messages.filter((message) => isCampaignSend(message) && counts(message))
  const twice = [...Map.groupBy(rows, ({ origin, cart }) => `${origin} ${cart}`).values()]
    .map((some) => some.toSorted((a, b) => a.step - b.step))
    // Of two people who are found to be one, both are about none; what is over and never left is no second one.
    .filter((some) => !some[0]!.cart.startsWith('no cart') || some.some(({ state: now }) => isStillOpen(now)))
    .map((some) => (some[0]!.cart.startsWith('no cart') ? some.filter(mayBeHeard) : some))
    .filter((some) => some.some((row, index) => index > 0 && !isRetry(scene, row, some.slice(0, index))))
    .map((some) => `a campaign has ${some.length} rows about one cart, of runs ${some.map(({ step }) => step).join()}`)
  const again = fresh.flatMap((mail) => {
    const { cart, joined, origin, step } = mail.evidence
    const others = mails.filter(
      ({ id, isTaken, evidence: e }) =>
        id !== mail.id && isTaken && e?.origin === origin && [cart, ...joined].includes(e.cart),
    )
    const before = others.flatMap(({ id }) => state.messages.find((each) => each.id === id) ?? [])
    return isCampaignSend(mail.evidence) && others.length > 0 && !isRetry(scene, { origin, step }, before)
      ? [`${describeMail(mail)} is of a campaign that has written about its cart`]
      : []
  })
  return [...twice, ...again]
}

/** Of a run for what had failed, and all of that had. */
function isRetry(
  { harness, state }: Pick<Parameters<Invariant>[0], 'harness' | 'state'>,
  { origin, step }: Pick<Message, 'origin' | 'step'>,
  before: readonly Message[],
): boolean {
  const made = harness.campaigns.find(({ id }) => originOf(id) === origin)
  const run = state.runs.find((each) => each.campaign === made?.id && each.run === step)
  const isOne = run && made!.retried.some(({ from, until }) => run.at >= from && run.at <= until)
  return isOne === true && before.every((message) => message.state === 'failed')
}

/** A run is at a time that the store's clocks show, or when somebody asked for it or saved it too late; at one time once, unless it was played again. */
const atTheirTime: Invariant = ({ harness, state }) =>
  harness.campaigns.flatMap((made) => {
    const all = state.runs.filter(({ campaign }) => campaign === made.id)
    const strange = all.filter(
      ({ at }) =>
        // To the minute in which somebody saved it; it comes again where the clock was put back.
        !harness.hasJumped &&
        ![...made.asked, ...made.retried, ...made.saved].some(({ from, until }) => at >= from && at <= until) &&
        !made.versions.some(({ schedule }) => listSlots(schedule, at).includes(at)),
    )
    const isAsked = (at: number) => made.asked.some(({ from, until }) => at >= from && at <= until)
    // One that is played runs at a time to come, which is not one that was; but for a clock that was put back.
    const most = (at: number) => (harness.hasJumped || isAsked(at) ? 1 + made.plays + made.asked.length : 1)
    const twice = [...Map.groupBy(all, ({ at }) => at).values()].filter((some) => some.length > most(some[0]!.at))
    return [
      ...strange.map(
        ({ run, at }) => `run ${run} is at ${new Date(at).toISOString()}, and its schedule has no such time`,
      ),
      ...twice.map((some) => `${some.length} runs are at ${new Date(some[0]!.at).toISOString()}`),
    ]
  })

const isFullLook: Invariant = ({ step, harness }) => (step.do === 'work' && harness.isLookDone ? ['yes'] : [])

/** After a look the newest time of a schedule that has passed has had its run. */
const held: Invariant = (scene) => {
  const { harness, state, step } = scene
  if (isFullLook(scene).length === 0 || harness.hasJumped || harness.isDisconnected) return []
  // When the look began: a later time was not due yet.
  const by = harness.stepStartedAt + step.waitMs
  return harness.campaigns.flatMap(({ id, armedAt, touchedIn, stops, versions }) => {
    if (armedAt === null || touchedIn >= harness.stepNumber || stops.at(-1)?.until === null) return []
    const slot = listSlots(versions.at(-1)!.schedule, by).at(-1)
    if (slot === undefined || slot <= armedAt || stops.some(({ from, until }) => from <= slot && slot <= until!))
      return []
    const isHeld = state.runs.some(({ campaign, at }) => campaign === id && at === slot)
    return isHeld ? [] : [`the run of ${new Date(slot).toISOString()} was not held`]
  })
}

/** Everybody who matched when a run began has a row of it, once somebody has looked. */
const forgotten: Invariant = (scene) => {
  const { harness, state } = scene
  if (isFullLook(scene).length === 0) return []
  return harness.campaigns.flatMap(({ id, expected, stops }) =>
    stops.at(-1)?.until === null
      ? []
      : [...expected].flatMap(([run, people]) =>
          people
            .filter((each) => !hasRow(state, { id, run }, each))
            .map(({ cart }) => `run ${run} has no row about cart ${cart.slice(-6)}, which matched when it began`),
        ),
  )
}

/** What a pause held is looked at again once the campaign goes on; where the clock was put back meanwhile, when that time has come again. */
const stuck: Invariant = (scene) => {
  const { harness, state } = scene
  if (!canSend(scene) || harness.hasJumped) return []
  return harness.campaigns.flatMap(({ id, stops, touchedIn }) =>
    stops.at(-1)?.until === null || touchedIn >= harness.stepNumber
      ? []
      : state.messages
          .filter((each) => each.origin === originOf(id) && each.state === 'held' && each.reason === 'campaign_paused')
          .map((each) => `message ${each.id.slice(-6)} is held by a pause that is over`),
  )
}

/** About that cart of whatever run: one that was begun before and is gone on with in the same look may have been first. */
const hasRow = ({ messages }: State, { id, run }: { id: string; run: number }, of: { cart: string; shopper: string }) =>
  messages.some(
    ({ origin, step, cart, shopper }) =>
      origin === originOf(id) && (cart === of.cart || (step === run && shopper === of.shopper)),
  )

/** Nobody has a row whom the filters do not mean: of carts that nobody touched since. */
const unwanted: Invariant = ({ harness, state, before }) =>
  harness.campaigns.flatMap(({ id, versions, retried }) => {
    if (versions.some(({ plan }) => plan.people !== 'matching' || plan.filters.mailedBefore)) return []
    const fresh = state.messages.filter(
      (message) => message.origin === originOf(id) && !before?.messages.some((old) => old.id === message.id),
    )
    return fresh.flatMap((message) => {
      const run = state.runs.find((each) => each.campaign === id && each.run === message.step)
      const cart = state.carts.find((each) => each.id === message.cart)
      if (!run || !cart || retried.some(({ from, until }) => run.at >= from && run.at <= until)) return []
      if (!isUnchanged(cart.id, state, before) || !counts(message)) return []
      return versions.some(({ plan }) => isInAudience(plan.filters, cart, run.startedAt))
        ? []
        : [`run ${message.step} has a row about cart ${cart.id.slice(-6)}, which its filters do not mean`]
    })
  })

const HOUR_MS = 3_600_000

/** A new row is due at the later of the run and the last activity plus the delay, spread over as long as its owner wants. */
const rowTimes: Invariant = ({ harness, state, before }) =>
  harness.campaigns.flatMap(({ id, versions }) =>
    state.messages
      .filter((message) => message.origin === originOf(id) && counts(message))
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
