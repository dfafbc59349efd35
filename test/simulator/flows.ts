import type { Fixture } from './fixture.ts'
import type { Entry } from './flow-edits.ts'
import type { Harness } from './harness.ts'

// What the owner has done with the store's flows, noted as it was done: which there are, in which order, which are on and whom they take.

interface AskedFlow {
  id: string
  isOn: boolean
  /** By the engine's clock: carts whose last activity is at or after it. null: it was never on. */
  takesFrom: number | null
  /** null: everybody. */
  entry: Entry | null
}

/** In the order in which they are asked. */
export interface FlowSnapshot {
  /** Of the history, in which it became so. */
  step: number
  flows: readonly AskedFlow[]
  /** It was this that was done. */
  switchedOn: string | null
}

export interface Flows {
  /** As they were made; none that was deleted. */
  made: readonly string[]
  past: readonly FlowSnapshot[]
}

/** One, and it is on. */
export const createFlows = ({ flowId }: Fixture, startedAt: number): Flows => ({
  made: [flowId],
  past: [{ step: -1, flows: [{ id: flowId, isOn: true, takesFrom: startedAt, entry: null }], switchedOn: null }],
})

/** Of as many as there are. */
export const findFlow = ({ flows: { made } }: Harness, place: number): string => made[Math.min(place, made.length - 1)]!

/** After it was done. */
export function recordFlows(
  harness: Harness,
  change: (flows: readonly AskedFlow[]) => readonly AskedFlow[],
  switchedOn: string | null = null,
): void {
  const { made, past } = harness.flows
  const flows = change(past.at(-1)!.flows)
  const there = new Set(flows.map(({ id }) => id))
  harness.flows = {
    made: [...new Set([...made.filter((id) => there.has(id)), ...there])],
    past: [...past, { step: harness.stepNumber, flows, switchedOn }],
  }
}

export const updateFlow = (
  flows: readonly AskedFlow[],
  id: string,
  change: (flow: AskedFlow) => Partial<AskedFlow>,
): AskedFlow[] => flows.map((flow) => (flow.id === id ? { ...flow, ...change(flow) } : flow))

const DAY_MS = 86_400_000

/** `at`: by the engine's clock, when it was asked for. */
export function recordSwitch(
  harness: Harness,
  id: string,
  { isOn, includeLast24h, at }: { isOn: boolean; includeLast24h: boolean; at: number },
): void {
  const from = includeLast24h ? at - DAY_MS : at
  const since = (flow: AskedFlow) => (flow.isOn && flow.takesFrom !== null ? flow.takesFrom : from)
  recordFlows(
    harness,
    (flows) => updateFlow(flows, id, (flow) => ({ isOn, takesFrom: isOn ? since(flow) : flow.takesFrom })),
    isOn ? id : null,
  )
}
