import { chooseWinner, saveFlow } from '../../server/marketing/flows/save.ts'
import { listSteps } from '../../server/marketing/flows/sql.ts'
import { loadVariants } from '../../server/marketing/flows/variants.ts'
import type { SaveFlow } from '../../shared/marketing/flows.ts'
import type { Bound, FlowChange } from './flow-edits.ts'
import { findFlow } from './flows.ts'
import { type ActOf, type Harness, openStoreHandle } from './harness.ts'
import type { Channel } from './steps.ts'

// Flow edits of the owner. Expected steps are recorded from the acts, with the ids that steps and variants got.

export interface StepSnapshot {
  channels: readonly Channel[]
  condition: Bound | null
  /** Variants that are drawn; null: the step is not split. */
  variants: ReadonlySet<string> | null
}

/** Steps of all flows by id. */
export interface StepsSnapshot {
  /** True time. */
  at: number
  steps: ReadonlyMap<string, StepSnapshot>
  /** Steps added to a flow that had others. */
  added: ReadonlySet<string>
}

type Players = { 'flow edit': (harness: Harness, act: ActOf<'flow edit'>) => Promise<unknown> }

export const flowEditPlayers: Players = {
  async 'flow edit'(harness, { change, flow }) {
    const { web, clock } = harness
    const store = openStoreHandle(harness)
    const flowId = findFlow(harness, flow ?? 0)
    await recordFirstSteps(harness)
    const before = (await readSteps(harness)).filter((step) => step.flowId === flowId)
    if (change.kind === 'winner') {
      const step = pickAt(before, change.place)
      const variant = pickAt(step.variants, change.variant)
      await chooseWinner(web.deps, store, { flowId, stepId: step.id }, variant.id)
    } else {
      const steps = editSteps(before, change)
      if (!steps) return
      await saveFlow(web.deps, store, flowId, { name: 'Reminders', steps })
    }
    harness.editedAt = clock.trueNow()
    await recordChange(harness, before, change)
  },
}

interface StoredStep {
  flowId: string
  id: string
  delayMinutes: number
  channels: Channel[]
  variants: { id: string; sharePercent: number }[]
}

/** Reads the steps of all flows. */
async function readSteps(harness: Harness): Promise<StoredStep[]> {
  const store = openStoreHandle(harness)
  const steps = await listSteps(store, harness.flows.flowIds)
  const variants = await loadVariants(store, steps)
  return steps.map((step) => ({
    flowId: step.flow_id,
    id: step.id,
    delayMinutes: step.delay_minutes,
    channels: [step.channel, ...step.fallback],
    variants: variants.get(step.id)!.map(({ id, sharePercent }) => ({ id, sharePercent })),
  }))
}

/** Call before the first edit. */
export async function recordFirstSteps(harness: Harness): Promise<void> {
  if (harness.stepSnapshots.length > 0) return
  const steps = await readSteps(harness)
  if (harness.stepSnapshots.length > 0) return
  const known = new Map(steps.map(({ id, channels }) => [id, { channels, condition: null, variants: null }]))
  harness.stepSnapshots.push({ at: Number.NEGATIVE_INFINITY, steps: known, added: new Set() })
}

const pickAt = <Each>(all: readonly Each[], place: number): Each => all[Math.min(place, all.length - 1)]!

type SavedStep = SaveFlow['steps'][number]

/** null: there is nothing to change. */
function editSteps(steps: readonly StoredStep[], change: Exclude<FlowChange, { kind: 'winner' }>): SavedStep[] | null {
  const saved: SavedStep[] = steps.map(({ id, delayMinutes }) => ({ id, delayMinutes }))
  const place = Math.min(change.place, steps.length - 1)
  switch (change.kind) {
    case 'add': {
      const [before, after] = [saved[place - 1]?.delayMinutes ?? 14, saved[place]!.delayMinutes]
      const between = { delayMinutes: before + Math.floor((after - before) / 2), channels: [...change.channels] }
      if (after - before >= 2) return [...saved.slice(0, place), between, ...saved.slice(place)]
      return [...saved, { delayMinutes: saved.at(-1)!.delayMinutes + 90, channels: [...change.channels] }]
    }
    case 'remove':
      return steps.length > 1 ? saved.toSpliced(place, 1) : null
    case 'swap': {
      const other = (place + 1) % steps.length
      const ids = saved.map(({ id }) => id)
      ;[ids[place], ids[other]] = [ids[other], ids[place]]
      return saved.map(({ delayMinutes }, index) => ({ id: ids[index], delayMinutes }))
    }
    case 'condition': {
      const { condition } = change
      const conditions = condition && {
        match: 'all' as const,
        groups: [{ match: 'all' as const, conditions: [condition] }],
      }
      return saved.with(place, { ...saved[place]!, conditions })
    }
    case 'channels':
      return saved.with(place, { ...saved[place]!, channels: [...change.channels] })
    case 'split': {
      const { variants } = steps[place]!
      const newVariants = change.shares.map((sharePercent, index) => ({
        ...(variants[index] && { id: variants[index].id }),
        sharePercent,
        words: {},
      }))
      return saved.with(place, { ...saved[place]!, variants: newVariants })
    }
  }
}

/** Records an act's change of its step. */
async function recordChange(harness: Harness, before: readonly StoredStep[], change: FlowChange): Promise<void> {
  const changedId = pickAt(before, change.place).id
  const changes = new Map<string, Partial<StepSnapshot>>()
  if (change.kind === 'channels') changes.set(changedId, { channels: change.channels })
  if (change.kind === 'condition') changes.set(changedId, { condition: change.condition })
  await recordSteps(harness, changes, change.kind === 'add' ? change.channels : [])
}

/** Records changes by step id, and new steps of flows that had others. Call after an edit. */
export async function recordSteps(
  harness: Harness,
  changes: ReadonlyMap<string, Partial<StepSnapshot>>,
  newChannels: readonly Channel[],
): Promise<void> {
  const past = harness.stepSnapshots.at(-1)!.steps
  const now = await readSteps(harness)
  const steps = now.map(({ id, variants }): [string, StepSnapshot] => {
    const known = {
      ...(past.get(id) ?? { channels: newChannels, condition: null, variants: null }),
      ...changes.get(id),
    }
    const drawn = variants.length > 1 || known.variants ? new Set(variants.map((each) => each.id)) : null
    return [id, { ...known, variants: drawn }]
  })
  const isNew = ({ id }: StoredStep) => !past.has(id) && !changes.has(id)
  const added = new Set(now.filter(isNew).map(({ id }) => id))
  harness.stepSnapshots.push({ at: harness.clock.trueNow(), steps: new Map(steps), added })
}
