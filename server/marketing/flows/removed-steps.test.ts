import { beforeEach, expect, test } from 'vitest'
import type { FlowStep } from '../../../shared/marketing/flows.ts'
import {
  createMessageScene,
  HOUR,
  type MessageScene,
  MINUTE,
  passTime,
  readMessages,
} from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'

// A removed step has no place in the flow. Its sent messages still keep the gap to others, but overtake none (decision
// 53, T4).

const world = createWorld()
let scene: MessageScene

/** The second message was sent a quarter of an hour ago, an hour after the first. */
beforeEach(async () => {
  scene = await createMessageScene(world, 1, { plan: 'starter' })
  await save(([first, second]) => [first!, { ...second, delayMinutes: 120 }])
  await passTime(world, scene.storeId, HOUR)
  await passTime(world, scene.storeId, HOUR)
  expect(world.sent).toHaveLength(2)
  await passTime(world, scene.storeId, 15 * MINUTE)
})

const call = (method: string, url: string, body?: object) =>
  world.request(method, url, { token: scene.token, ...(body && { body }) })

type Saved = Partial<FlowStep>

/** Saves, and checks that a dry run predicted the same effect. */
async function save(change: (steps: Saved[]) => Saved[]) {
  const { name, steps } = (await call('GET', '/api/flows')).body.flows[0]
  const body = { name, steps: change(steps) }
  const tried = (await call('POST', `/api/flows/${scene.flowId}/effect`, body)).body.effect
  const saved = await call('PUT', `/api/flows/${scene.flowId}`, body)
  expect([saved.status, saved.body.effect]).toEqual([200, tried])
  return saved.body.effect
}

const none = { moved: 0, dueNow: 0, overtaken: 0, cancelled: 0, added: 0, tooLate: 0, changed: 0 }

const reminders = async () =>
  (await readMessages(world, scene.storeId))
    .map(({ state, reason }) => (reason ? `${state}(${reason})` : state))
    .toSorted()

test('a step added in place of a removed one is sent, even if its time is earlier', async () => {
  expect(await save(([first]) => [first!, { delayMinutes: 300 }])).toEqual({ ...none, added: 1 })
  expect(await save(([first, added]) => [first!, { ...added, delayMinutes: 110 }])).toEqual({
    ...none,
    moved: 1,
    dueNow: 1,
  })
  await passTime(world, scene.storeId, MINUTE)
  expect(world.sent).toHaveLength(3)
  expect(await reminders()).toEqual(['sent', 'sent', 'sent'])
})

test('an added step is not too late because a removed one was moved after sending', async () => {
  await save(([first, second]) => [first!, { ...second, delayMinutes: 400 }])
  expect(await save(([first]) => [first!, { delayMinutes: 300 }])).toEqual({ ...none, added: 1 })
})

test("an added step keeps the gap to the removed step's message", async () => {
  await save(([first]) => [first!, { delayMinutes: 300 }])
  // Half an hour before it in the flow, and half an hour after it in time.
  expect(await save(([first, added]) => [first!, { ...added, delayMinutes: 90 }])).toEqual({ ...none, moved: 1 })
  await passTime(world, scene.storeId, 14 * MINUTE)
  expect(world.sent).toHaveLength(2)
  await passTime(world, scene.storeId, 2 * MINUTE)
  expect(world.sent).toHaveLength(3)
})

test('a step moved before a sent one is announced as not sent, and is not sent', async () => {
  await save(([first, second]) => [first!, second!, { delayMinutes: 300 }])
  const moved = await save(([first, second, added]) => [first!, { ...added, delayMinutes: 110 }, second!])
  expect(moved).toEqual({ ...none, overtaken: 1 })
  await passTime(world, scene.storeId, HOUR)
  expect(world.sent).toHaveLength(2)
  expect(await reminders()).toContain('skipped(superseded)')
})

test('of two steps moved into the past, one is announced as due and is sent', async () => {
  await save(([first, second]) => [first!, second!, { delayMinutes: 300 }, { delayMinutes: 400 }])
  expect(
    await save(([first, second, ...added]) => [
      first!,
      second!,
      ...added.map((each, index) => ({ ...each, delayMinutes: 121 + index })),
    ]),
  ).toEqual({ ...none, moved: 1, dueNow: 1, overtaken: 1 })
  await passTime(world, scene.storeId, MINUTE)
  expect(world.sent).toHaveLength(3)
})

test('a step added in place of a removed one has a different name', async () => {
  await save(([first]) => [first!, { delayMinutes: 300 }, { delayMinutes: 400 }])
  const { steps } = (await call('GET', '/api/flows')).body.flows[0]
  expect(steps.map(({ name }: FlowStep) => name)).toEqual(['First reminder', 'Second reminder (2)', 'Third reminder'])
})
