import { switchFlow } from '../../server/marketing/flows/flows.ts'
import { createFlow, deleteFlow, orderFlows } from '../../server/marketing/flows/library.ts'
import { saveFlow } from '../../server/marketing/flows/save.ts'
import { listSteps } from '../../server/marketing/flows/sql.ts'
import type { FlowConditions } from '../../shared/carts/flow-conditions.ts'
import type { SaveFlow } from '../../shared/marketing/flows.ts'
import type { Entry } from './flow-edits.ts'
import { findFlow, recordFlows, recordSwitch, updateFlow } from './flows.ts'
import { type ActOf, type Harness, openStoreHandle } from './harness.ts'
import { recordFirstSteps, recordSteps } from './play-flow-edits.ts'
import type { SeveralFlowsAct } from './several-flows.ts'
import type { Channel } from './steps.ts'

// The owner creates more flows, sets their conditions and order, and switches and deletes them.

type Players = {
  [Kind in SeveralFlowsAct['do']]: (harness: Harness, act: ActOf<Kind>) => Promise<unknown>
}

export const severalFlowsPlayers: Players = {
  async 'flow make'(harness, { delays, channels, entry, isFirst, includeLast24h }) {
    const { web } = harness
    const store = openStoreHandle(harness)
    await recordFirstSteps(harness)
    const id = await createFlow(web.deps, store, { from: 'ready_email' })
    recordFlows(harness, (flows) => [...flows, { id, isOn: false, matchesFrom: null, entry: null }])
    const ids = (await listSteps(store, [id])).map((step) => step.id)
    await recordSteps(harness, buildChannels(ids, ['email', 'email', 'email']), [])
    const steps = ids.map((stepId, index) => ({
      id: stepId,
      delayMinutes: delays[index]!,
      channels: [channels[index]!],
    }))
    await saveFlow(web.deps, store, id, { name: 'Another', conditions: buildConditions(entry), steps })
    recordFlows(harness, (flows) => updateFlow(flows, id, () => ({ entry })))
    await recordSteps(harness, buildChannels(ids, channels), [])
    if (isFirst) await putFirst(harness, id)
    await toggleFlow(harness, id, { isOn: true, includeLast24h })
  },
  async 'flow entry'(harness, { flow, entry }) {
    const store = openStoreHandle(harness)
    const id = findFlow(harness, flow)
    const steps: SaveFlow['steps'] = (await listSteps(store, [id])).map((step) => ({
      id: step.id,
      delayMinutes: step.delay_minutes,
    }))
    await saveFlow(harness.web.deps, store, id, { name: 'Another', conditions: buildConditions(entry), steps })
    recordFlows(harness, (flows) => updateFlow(flows, id, () => ({ entry })))
  },
  async 'flow first'(harness, { flow }) {
    await putFirst(harness, findFlow(harness, flow))
  },
  async 'flow switch'(harness, { flow, isOn, includeLast24h }) {
    await toggleFlow(harness, findFlow(harness, flow), { isOn, includeLast24h })
  },
  async 'flow delete'(harness, { flow }) {
    const id = findFlow(harness, flow)
    if (id === harness.fixture.flowId) return
    await recordFirstSteps(harness)
    await deleteFlow(harness.web.deps, openStoreHandle(harness), id)
    recordFlows(harness, (flows) => flows.filter((each) => each.id !== id))
    harness.editedAt = harness.clock.trueNow()
    await recordSteps(harness, new Map(), [])
  },
}

const buildChannels = (ids: readonly string[], channels: readonly Channel[]) =>
  new Map(ids.map((id, index) => [id, { channels: [channels[index]!] }]))

async function putFirst(harness: Harness, id: string): Promise<void> {
  const known = harness.flows.past.at(-1)!.flows.map((flow) => flow.id)
  const flowIds = [id, ...known.filter((each) => each !== id)]
  await orderFlows(openStoreHandle(harness), flowIds)
  recordFlows(harness, (flows) => [...flows].sort((a, b) => Number(b.id === id) - Number(a.id === id)))
}

/** Switches the first flow or a later one. */
export async function toggleFlow(
  harness: Harness,
  id: string,
  { isOn, includeLast24h }: { isOn: boolean; includeLast24h: boolean },
): Promise<void> {
  const { web, scenario, clock, fixture } = harness
  const at = clock.now().getTime()
  const body = { isOn, includeLast24h, holdoutPercent: scenario.holdoutPercent }
  await switchFlow(web.deps, openStoreHandle(harness), id, body)
  recordSwitch(harness, id, { isOn, includeLast24h, at })
  if (id === fixture.flowId) {
    if (isOn !== harness.isFlowOn) Object.assign(harness, { isFlowOn: isOn, flowOnStep: harness.stepNumber })
    if (isOn && includeLast24h) harness.lastDayStep = harness.stepNumber
    harness.setBlocks({ flowOffSince: isOn ? null : clock.trueNow() })
    return
  }
  // With the timeout, the times of automatic notifications change.
  harness.editedAt = clock.trueNow()
  harness.setFlowBlock(id, isOn ? null : clock.trueNow())
}

/** In the form of the owner's screen: a group of conditions. */
function buildConditions(entry: Entry | null): FlowConditions | null {
  if (!entry) return null
  return { match: 'all', groups: [{ match: entry.match, conditions: [...entry.bounds] }] }
}
