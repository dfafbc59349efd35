import type pg from 'pg'
import { type InvariantFailure, playScenario } from './run.ts'
import type { Act, Scenario, Step } from './steps.ts'

// Shortens a failing scenario: removes large ranges of steps first, then single steps, then details of steps.

const PATIENCE = 400

export async function shrink(pool: pg.Pool, scenario: Scenario, broken: InvariantFailure) {
  let best = { scenario: cutAfterFailure(scenario, broken), broken }
  let tries = 0
  const attempt = async (steps: readonly Step[]) => {
    if (++tries > PATIENCE) return false
    const shorter = { ...best.scenario, steps }
    const { broken: again } = await playScenario(pool, shorter)
    if (again?.rule !== broken.rule) return false
    best = { scenario: cutAfterFailure(shorter, again), broken: again }
    return true
  }
  for (let size = Math.ceil(best.scenario.steps.length / 2); size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    for (let start = 0; start < best.scenario.steps.length; ) {
      const { steps } = best.scenario
      const isRemovable = await attempt([...steps.slice(0, start), ...steps.slice(start + size)])
      if (!isRemovable) start += size
    }
  }
  for (let index = 0; index < best.scenario.steps.length; index++) await simplify(index, attempt, () => best.scenario)
  return best
}

/** Steps after the failure are not needed. */
const cutAfterFailure = (scenario: Scenario, { step }: InvariantFailure): Scenario => ({
  ...scenario,
  steps: scenario.steps.slice(0, step + 1),
})

async function simplify(
  index: number,
  attempt: (steps: readonly Step[]) => Promise<boolean>,
  current: () => Scenario,
): Promise<void> {
  for (const make of simpler) {
    const { steps } = current()
    const step = steps[index]
    if (!step) return
    const plain = make(step)
    if (plain && JSON.stringify(plain) !== JSON.stringify(step)) await attempt(steps.with(index, plain))
  }
}

type Simpler = (step: Step) => Step | null
const removeWhen =
  <Kind extends Act['do']>(
    kind: Kind,
    change: (act: Extract<Act, { do: Kind }>) => Partial<Extract<Act, { do: Kind }>>,
  ): Simpler =>
  (step) =>
    step.do === kind ? ({ ...step, ...change(step as unknown as Extract<Act, { do: Kind }>) } as Step) : null

const simpler: readonly Simpler[] = [
  (step) => ({ ...step, waitMs: 0 }),
  (step) => ({ ...step, waitMs: step.waitMs > 60_000 ? Math.round(step.waitMs / 60_000) * 60_000 : 1_000 }),
  (step) => (step.do === 'at once' ? { ...step.acts[0], waitMs: step.waitMs } : null),
  (step) => (step.do === 'at once' ? { ...step.acts[1], waitMs: step.waitMs } : null),
  removeWhen('work', () => ({ meanwhile: null })),
  removeWhen('work', ({ meanwhile }) => ({
    meanwhile: meanwhile && { ...meanwhile, steps: meanwhile.steps.slice(1) },
  })),
  removeWhen('work', ({ meanwhile }) => ({
    meanwhile: meanwhile && { ...meanwhile, steps: meanwhile.steps.slice(0, 1) },
  })),
  removeWhen('work', () => ({ diesAt: null })),
  removeWhen('work', () => ({ answers: [] })),
  removeWhen('work', ({ answers }) => ({ answers: answers.slice(0, 1) })),
  removeWhen('post', () => ({ coupons: [], consent: null })),
  removeWhen('post', () => ({ network: 'now' })),
  removeWhen('post', () => ({ contact: null })),
  removeWhen('post', () => ({ items: null })),
  removeWhen('post', ({ items }) => ({ items: items?.length ? [['16', 1]] : items })),
  removeWhen('order', () => ({ webhook: 'now' })),
  removeWhen('order', () => ({ refundedMinor: 0, isStaff: false, items: [['16', 1]] })),
]
