import { BOUNDS, createWorkStep, drawChange, type Entry, listChannels, replaceEdits } from './flow-edits.ts'
import type { Person } from './people.ts'
import { createSeededRandom, type Random } from './random.ts'
import type { Act, Channel, Scenario, Step } from './steps.ts'
import { hasTexts } from './steps.ts'

// In some scenarios the store has two or three flows, matched in order (decision 51). They are edited, reordered,
// switched and deleted while carts are quiet. Uses a random stream of its own, so that other scenarios stay the same.

export type SeveralFlowsAct =
  /** It is on at once; `isFirst`: it is matched before all others. */
  | {
      do: 'flow make'
      delays: readonly number[]
      channels: readonly Channel[]
      entry: Entry | null
      isFirst: boolean
      includeLast24h: boolean
    }
  /** `flow`: index in order of creation, from 0; larger values mean the last one. */
  | { do: 'flow entry'; flow: number; entry: Entry | null }
  /** It is matched before all others. */
  | { do: 'flow first'; flow: number }
  | { do: 'flow switch'; flow: number; isOn: boolean; includeLast24h: boolean }
  /** Refused while the flow is on, and for the first flow. */
  | { do: 'flow delete'; flow: number }

const HAVE_THEM = 0.18
const DICE = 0xf10_3d2
/** Chosen so that the seeds of other mutations keep finding them. */
const HAVE_DICE = 0x2_452c
const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000

const DELAYS = [
  [15, 30, 45],
  [20, 90, 1_440],
  [60, 1_440, 4_320],
  [15, 16, 300],
] as const

export function addSeveralFlows(seed: number, scenario: Scenario, people: readonly Person[]): Scenario {
  // A step's coupon is known by its index, and the free plan has one flow.
  const isExcluded = scenario.coupons !== null || scenario.hasCampaigns || scenario.plan === 'free'
  if (isExcluded || !createSeededRandom(seed ^ HAVE_DICE).isLucky(HAVE_THEM)) return scenario
  const dice = createSeededRandom(seed ^ DICE)
  const channels = listChannels(scenario)
  const act = () => drawAct(dice, channels)
  const steps = replaceEdits(scenario.steps, act).map((step): Step => {
    if (step.do !== 'work' || step.meanwhile || !dice.isLucky(0.2)) return step
    const at = dice.pick(['claim', 'evaluate', 'before sending', 'submission'] as const)
    return { ...step, meanwhile: { at, steps: [{ ...act(), waitMs: dice.between(0, 20 * SECOND) }] } }
  })
  for (let more = dice.between(3, 8); more > 0; more--) {
    const most = dice.pick([0, MINUTE, 20 * MINUTE, 90 * MINUTE])
    steps.splice(dice.between(2, steps.length), 0, { ...act(), waitMs: dice.between(0, most) })
  }
  // A cart falls quiet, the owner changes something, and a cart falls quiet again.
  for (let more = dice.between(1, 3); more > 0; more--) {
    const person = dice.between(0, 2)
    const row: Step[] = [
      { ...createAbandonment(dice, people, person), waitMs: dice.between(0, HOUR) },
      createWorkStep(dice.between(15, 65) * MINUTE),
      { ...act(), waitMs: dice.between(0, MINUTE) },
      {
        ...createAbandonment(dice, people, dice.isLucky(0.6) ? person : dice.between(0, 2)),
        waitMs: dice.between(0, 10 * MINUTE),
      },
      createWorkStep(dice.between(15, 65) * MINUTE),
    ]
    steps.splice(dice.between(2, steps.length), 0, ...row)
  }
  if (hasTexts(scenario) && dice.isLucky(0.6)) {
    steps.splice(dice.between(2, steps.length), 0, ...putOff(dice, people))
  }
  if (dice.isLucky(0.4)) steps.splice(dice.between(2, steps.length), 0, ...drawWinner(dice, people))
  const edits = Array.from({ length: dice.between(1, 2) }, () => ({ ...drawFlow(dice, channels), waitMs: 0 }))
  return { ...scenario, steps: [...edits, ...steps, createWorkStep(10 * MINUTE), createWorkStep(HOUR)] }
}

/**
 * A mail is deferred, its shopper unsubscribes, and its step may also use SMS: the step stays with email (decision 54).
 */
function putOff(dice: Random, people: readonly Person[]): Step[] {
  const person = dice.between(0, 2)
  const { email, typedPhone: phone } = people[person]!
  const both = [0, 1, 2].map((flow): Step => {
    const change = { kind: 'channels' as const, place: 0, channels: ['email', 'sms'] as const }
    return { do: 'flow edit', flow, change, waitMs: 0 }
  })
  const tried: Step = { ...createWorkStep(65 * MINUTE), answers: ['retry', 'retry', 'retry'] } as Step
  return [
    ...both,
    {
      ...createAbandonment(dice, people, person),
      contact: { email, phone },
      consent: { sms: true },
      waitMs: MINUTE,
    } as Step,
    tried,
    { do: 'suppress', person, kind: 'email', channels: ['sms'], waitMs: 2 * SECOND },
    createWorkStep(20 * MINUTE),
  ]
}

/** A step's content is split, and one variant wins (decision 55) before it is sent. */
function drawWinner(dice: Random, people: readonly Person[]): Step[] {
  const changes = [0, 1, 2].flatMap((flow): Step[] => [
    { do: 'flow edit', flow, change: { kind: 'split', place: 0, shares: [99, 1] }, waitMs: 0 },
    { do: 'flow edit', flow, change: { kind: 'winner', place: 0, variant: 1 }, waitMs: 0 },
  ])
  return [
    ...changes,
    { ...createAbandonment(dice, people, dice.between(0, 2)), waitMs: MINUTE },
    createWorkStep(65 * MINUTE),
    createWorkStep(MINUTE),
  ]
}

function drawAct(dice: Random, channels: readonly Channel[]): Act {
  const flow = Number(dice.weighted({ 0: 3, 1: 4, 2: 2 }))
  const switched = { flow, isOn: dice.isLucky(0.6), includeLast24h: dice.isLucky(0.5) }
  switch (dice.weighted({ entry: 4, first: 4, switch: 5, delete: 1, make: 1, edit: 2 })) {
    case 'entry':
      return { do: 'flow entry', flow, entry: drawEntry(dice) }
    case 'first':
      return { do: 'flow first', flow }
    case 'switch':
      return { do: 'flow switch', ...switched }
    case 'delete':
      return { do: 'flow delete', flow: Math.max(1, flow) }
    case 'make':
      return drawFlow(dice, channels)
    case 'edit':
      return { do: 'flow edit', flow, change: drawChange(dice, channels) }
  }
}

const drawFlow = (dice: Random, channels: readonly Channel[]): Act => ({
  do: 'flow make',
  delays: dice.pick(DELAYS),
  channels: Array.from({ length: 3 }, () => dice.pick(channels)),
  entry: drawEntry(dice),
  isFirst: dice.isLucky(0.8),
  includeLast24h: dice.isLucky(0.5),
})

function drawEntry(dice: Random): Entry | null {
  const count = Number(dice.weighted({ 0: 2, 1: 5, 2: 2 }))
  if (count === 0) return null
  return { match: dice.pick(['all', 'any'] as const), bounds: Array.from({ length: count }, () => dice.pick(BOUNDS)) }
}

const createAbandonment = (dice: Random, people: readonly Person[], person: number): Act => ({
  do: 'post',
  browser: person,
  isNewPage: true,
  items: [[dice.pick(['16', '17', '18']), dice.between(1, 2)]],
  coupons: [],
  contact: { email: people[person]!.email, ...(dice.isLucky(0.4) ? { phone: people[person]!.typedPhone } : {}) },
  consent: null,
  network: 'now',
})
