import type { Fixture } from './fixture.ts'
import type { Entry } from './flow-edits.ts'
import type { Harness } from './harness.ts'

// The owner's flows as the scenario set them: which exist, their order, which are on, and which carts they match.

interface FlowState {
  id: string
  isOn: boolean
  /** On the engine's clock: it matches carts with activity at or after this time. null: it was never on. */
  matchesFrom: number | null
  /** null: every cart. */
  entry: Entry | null
}

/** Flows in the order of matching. */
export interface FlowSnapshot {
  /** Index of the scenario step that made it so. */
  step: number
  flows: readonly FlowState[]
  /** Id of the flow that was switched on; null: another change. */
  switchedOn: string | null
}

export interface Flows {
  /** Ids in order of creation, without deleted ones. */
  flowIds: readonly string[]
  past: readonly FlowSnapshot[]
}

/** One flow that is on. */
export const createFlows = ({ flowId }: Fixture, startedAt: number): Flows => ({
  flowIds: [flowId],
  past: [{ step: -1, flows: [{ id: flowId, isOn: true, matchesFrom: startedAt, entry: null }], switchedOn: null }],
})

/** Index among existing flows. */
export const findFlow = ({ flows: { flowIds } }: Harness, place: number): string =>
  flowIds[Math.min(place, flowIds.length - 1)]!

/** Call after the change. */
export function recordFlows(
  harness: Harness,
  change: (flows: readonly FlowState[]) => readonly FlowState[],
  switchedOn: string | null = null,
): void {
  const { flowIds, past } = harness.flows
  const flows = change(past.at(-1)!.flows)
  const there = new Set(flows.map(({ id }) => id))
  harness.flows = {
    flowIds: [...new Set([...flowIds.filter((id) => there.has(id)), ...there])],
    past: [...past, { step: harness.stepNumber, flows, switchedOn }],
  }
}

export const updateFlow = (
  flows: readonly FlowState[],
  id: string,
  change: (flow: FlowState) => Partial<FlowState>,
): FlowState[] => flows.map((flow) => (flow.id === id ? { ...flow, ...change(flow) } : flow))

const DAY_MS = 86_400_000

/** `at`: time of the request on the engine's clock. */
export function recordSwitch(
  harness: Harness,
  id: string,
  { isOn, includeLast24h, at }: { isOn: boolean; includeLast24h: boolean; at: number },
): void {
  const from = includeLast24h ? at - DAY_MS : at
  const getMatchStart = (flow: FlowState) => (flow.isOn && flow.matchesFrom !== null ? flow.matchesFrom : from)
  recordFlows(
    harness,
    (flows) => updateFlow(flows, id, (flow) => ({ isOn, matchesFrom: isOn ? getMatchStart(flow) : flow.matchesFrom })),
    isOn ? id : null,
  )
}
