import { beforeEach, expect, test } from 'vitest'
import type { FlowStep } from '../../../shared/marketing/flows.ts'
import { buildOrder, createStore } from '../../../test/factories.ts'
import { buildSavedSteps, type StepChange } from '../../../test/flow-edits.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  DAY,
  HOUR,
  listStepStates,
  passTime,
  readMessages,
} from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'

// Flows: which carts they match, and what an edit changes.

const world = createWorld()

beforeEach(() => {
  world.queued.length = 0
})

async function edit(token: string, flowId: string, change: (step: FlowStep) => StepChange & { id?: string }) {
  const { body } = await world.request('GET', '/api/flows', { token })
  const flow = body.flows.find((each: { id: string }) => each.id === flowId)
  const steps = buildSavedSteps(flow.steps, change)
  return world.request('PUT', `/api/flows/${flowId}`, { token, body: { name: flow.name, steps } })
}

const flip = (token: string, flowId: string, more: Record<string, unknown>) =>
  world.request('POST', `/api/flows/${flowId}/switch`, { token, body: more })

test('an edit reschedules open messages and never touches sent ones', async () => {
  const { storeId, flowId, token } = await createMessageScene(world)
  await passTime(world, storeId, HOUR)
  const [sent, ...before] = await readMessages(world, storeId)
  const reply = await edit(token, flowId, ({ step, delayMinutes }) => ({
    delayMinutes: step === 1 ? 30 : delayMinutes * 2,
  }))
  expect(reply.status).toBe(200)
  const [first, second, third] = await readMessages(world, storeId)
  expect(first).toEqual(sent)
  expect(second!.due_at.getTime() - before[0]!.due_at.getTime()).toBe(DAY)
  expect(third!.due_at.getTime() - before[1]!.due_at.getTime()).toBe(3 * DAY)
  expect(second).toMatchObject({ state: 'scheduled', id: before[0]!.id, wake_at: second!.due_at })
})

test('edited text applies to unsent messages', async () => {
  const { storeId, flowId, token } = await createMessageScene(world)
  await advanceToAbandoned(world, storeId, HOUR - 1)
  await edit(token, flowId, ({ step }) => (step === 1 ? { subject: 'Your tea is getting cold' } : {}))
  await passTime(world, storeId, 1)
  expect(world.sent[0]!.subject).toBe('Your tea is getting cold')
})

test.each<[string, (step: FlowStep) => StepChange & { id?: string }]>([
  ['a step at the same time as the one before it', ({ step }) => (step === 2 ? { delayMinutes: 60 } : {})],
  ['a step that does not exist', ({ step }) => (step === 3 ? { id: createId() } : {})],
  ['a body with an unknown variable', () => ({ body: '{{ password }}' })],
  ['a subject that does not parse', () => ({ subject: '{{ customer_name ' })],
])('%s is rejected without any change', async (_, change) => {
  const { storeId, flowId, token } = await createMessageScene(world)
  const before = await world.request('GET', '/api/flows', { token })
  expect((await edit(token, flowId, change)).status).toBe(422)
  expect((await world.request('GET', '/api/flows', { token })).body).toEqual(before.body)
  expect(storeId).toBeTruthy()
})

test('a flow matches carts abandoned after it was activated, and those of the last day only on request', async () => {
  for (const [includeLast24h, planned] of [
    [false, 0],
    [true, 3],
  ] as const) {
    const { storeId, flowId, token } = await createStore(world, { isFlowOn: false })
    await recordOrders(world.deps, storeId, [buildOrder(world)], 'sync')
    await advanceToAbandoned(world, storeId, 24 * HOUR)
    expect((await flip(token, flowId, { isOn: true, includeLast24h })).status).toBe(200)
    expect(await readMessages(world, storeId)).toHaveLength(planned)
    await recordOrders(world.deps, storeId, [buildOrder(world)], 'sync')
    await advanceToAbandoned(world, storeId, HOUR)
    expect(await readMessages(world, storeId)).toHaveLength(planned + 3)
  }
})

test('deactivating a flow holds its planned messages, and activating it continues with the same rows (D5)', async () => {
  const { storeId, flowId, token } = await createMessageScene(world)
  await advanceToAbandoned(world, storeId, HOUR / 2)
  await flip(token, flowId, { isOn: false })
  expect(await readMessages(world, storeId)).toHaveLength(0)
  await flip(token, flowId, { isOn: true, includeLast24h: true })
  await passTime(world, storeId, HOUR / 2)
  expect(await listStepStates(world, storeId)).toEqual(['sent', 'scheduled', 'scheduled'])
  await flip(token, flowId, { isOn: false })
  await passTime(world, storeId, 23 * HOUR)
  expect((await listStepStates(world, storeId))[1]).toBe('held(flow_off)')
  await flip(token, flowId, { isOn: true })
  await passTime(world, storeId, 0)
  expect((await listStepStates(world, storeId))[1]).toBe('sent')
  expect(world.sent).toHaveLength(2)
})

test('a flow uses the control group share chosen at activation (F1)', async () => {
  const { flowId, token } = await createStore(world, { isFlowOn: false })
  const { body } = await flip(token, flowId, { isOn: true, holdoutPercent: 10 })
  expect(body.flow).toMatchObject({ isOn: true, holdoutPercent: 10 })
  expect((await flip(token, flowId, { isOn: true, holdoutPercent: 60 })).status).toBeGreaterThanOrEqual(400)
})
