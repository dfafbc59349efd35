import { createSeededRandom, type Random } from './random.ts'
import type { Act, Channel, Scenario, Step } from './steps.ts'
import { hasTexts } from './steps.ts'

// In every seventh scenario the owner edits the flow while its messages are due and in flight: steps are added, removed
// and moved, and get conditions, fallback channels and variants (decisions 52 to 55). Uses a random stream of its own,
// so that other scenarios stay the same.

/** A condition on facts of a cart. */
export type Bound =
  | { fact: 'items'; is: 'at_least' | 'at_most'; count: number }
  | { fact: 'value'; is: 'above' | 'below'; amount: number }
  | { fact: 'phone'; is: 'present' | 'absent' }

/** Which carts a flow matches. */
export interface Entry {
  match: 'all' | 'any'
  bounds: readonly Bound[]
}

/** `place`: index of the step, from 0; larger values mean the last step. */
export type FlowChange =
  | { kind: 'add'; place: number; channels: readonly Channel[] }
  | { kind: 'remove'; place: number }
  | { kind: 'swap'; place: number }
  | { kind: 'condition'; place: number; condition: Bound | null }
  | { kind: 'channels'; place: number; channels: readonly Channel[] }
  | { kind: 'split'; place: number; shares: readonly number[] }
  | { kind: 'winner'; place: number; variant: number }

/** `flow`: index in order of creation, from 0; none: the first flow. */
export type FlowEditAct = { do: 'flow edit'; change: FlowChange; flow?: number }

const HAVE_THEM = 0.14
const DICE = 0xf10_3d1
const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000

export function addFlowEdits(seed: number, scenario: Scenario): Scenario {
  const dice = createSeededRandom(seed ^ DICE)
  // A step's coupon is known by the step's index.
  if (!dice.isLucky(HAVE_THEM) || scenario.coupons) return scenario
  const channels = listChannels(scenario)
  const act = (): FlowEditAct => ({ do: 'flow edit', change: drawChange(dice, channels) })
  const steps = replaceEdits(scenario.steps, act).map((step): Step => {
    if (step.do !== 'work' || step.meanwhile || !dice.isLucky(0.4)) return step
    const at = dice.pick(['claim', 'evaluate', 'before sending', 'sent', 'submission'] as const)
    const waitMs = dice.isLucky(0.5) ? 0 : dice.between(2 * SECOND, 40 * SECOND)
    return { ...step, meanwhile: { at, steps: [{ ...act(), waitMs }] } }
  })
  for (let more = dice.between(4, 10); more > 0; more--) {
    const most = dice.pick([0, MINUTE, 20 * MINUTE, 90 * MINUTE])
    steps.splice(dice.between(2, steps.length), 0, { ...act(), waitMs: dice.between(0, most) })
  }
  // A message that the provider deferred is still open when its step's channels change.
  for (let more = dice.between(0, 2); more > 0; more--) {
    const place = dice.between(0, 2)
    const change: FlowChange = { kind: 'channels', place, channels: drawChannels(dice, channels) }
    const tried: Step = {
      do: 'work',
      worker: 0,
      answers: ['retry', 'retry', 'retry'],
      meanwhile: null,
      diesAt: null,
      waitMs: dice.pick([16 * MINUTE, 35 * MINUTE, 65 * MINUTE]),
    }
    const then: Step[] = [{ do: 'flow edit', change, waitMs: SECOND }, createWorkStep(2 * MINUTE)]
    steps.splice(dice.between(2, steps.length), 0, tried, ...then)
  }
  return { ...scenario, steps: [...steps, createWorkStep(10 * MINUTE), createWorkStep(HOUR)] }
}

/** Channels that steps may use. */
export function listChannels(scenario: Scenario): Channel[] {
  const texts: Channel[] = hasTexts(scenario) ? ['sms', 'whatsapp'] : []
  return ['email', ...texts, ...(scenario.push ? (['push'] as const) : [])]
}

/** Replaces `edit` acts, which assume the three initial steps. */
export function replaceEdits(steps: readonly Step[], instead: () => Act): Step[] {
  const replaceAct = <Some extends Act>(each: Some): Some => {
    if (each.do === 'edit') return { ...instead(), ...('waitMs' in each && { waitMs: each.waitMs }) } as unknown as Some
    if (each.do === 'at once') return { ...each, acts: each.acts.map(replaceAct) }
    if (each.do === 'work' && each.meanwhile) {
      return { ...each, meanwhile: { ...each.meanwhile, steps: each.meanwhile.steps.map(replaceAct) } }
    }
    return each
  }
  return steps.map(replaceAct)
}

export function drawChange(dice: Random, channels: readonly Channel[]): FlowChange {
  const place = dice.between(0, 3)
  switch (dice.weighted({ add: 3, remove: 3, swap: 2, condition: 4, channels: 5, split: 3, winner: 1 })) {
    case 'add':
      return { kind: 'add', place, channels: drawChannels(dice, channels) }
    case 'remove':
      return { kind: 'remove', place }
    case 'swap':
      return { kind: 'swap', place }
    case 'condition':
      return { kind: 'condition', place, condition: dice.isLucky(0.25) ? null : dice.pick(BOUNDS) }
    case 'channels':
      return { kind: 'channels', place, channels: drawChannels(dice, channels) }
    case 'split':
      return { kind: 'split', place, shares: dice.pick(SHARES) }
    case 'winner':
      return { kind: 'winner', place, variant: dice.between(0, 3) }
  }
}

function drawChannels(dice: Random, channels: readonly Channel[]): Channel[] {
  const count = dice.between(1, Math.min(3, channels.length))
  const remaining = [...channels]
  return Array.from({ length: count }, () => remaining.splice(dice.between(0, remaining.length - 1), 1)[0]!)
}

export function createWorkStep(waitMs: number): Step {
  return { do: 'work', worker: 0, answers: [], meanwhile: null, diesAt: null, waitMs }
}

export const BOUNDS: readonly Bound[] = [
  { fact: 'items', is: 'at_least', count: 2 },
  { fact: 'items', is: 'at_most', count: 1 },
  { fact: 'value', is: 'above', amount: 20 },
  { fact: 'value', is: 'below', amount: 20 },
  { fact: 'phone', is: 'present' },
  { fact: 'phone', is: 'absent' },
]

const SHARES = [
  [50, 50],
  [1, 99],
  [40, 30, 30],
] as const
