import { expect, test } from 'vitest'
import type { FlowStep } from '../../../shared/marketing/flows.ts'
import { buildTea, createShop, HOUR, MINUTE } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'

// A step added for later carts also applies to an older cart whose shopper returned (decision 53).

const world = createWorld()

test('an added step keeps the minimum gap to messages sent before the step was planned (T4)', async () => {
  const shop = await createShop(world, { plan: 'starter' })
  const call = (method: string, url: string, body?: object) =>
    world.request(method, url, { token: shop.token, ...(body && { body }) })
  const save = async (change: (steps: FlowStep[]) => object[]) => {
    const [{ name, steps }] = (await call('GET', '/api/flows')).body.flows
    return (await call('PUT', `/api/flows/${shop.flowId}`, { name, steps: change(steps) })).body.effect
  }
  world.sent.length = 0
  await save(([first, second, third]) => [first!, { ...second, delayMinutes: 90 }, third!])
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email: 'ada@example.com' })
  await shop.passTime(HOUR)
  await call('POST', '/api/stores/sending/pause')
  await shop.passTime(2 * HOUR)
  const effect = await save(([first, second, third]) => [first!, second!, { delayMinutes: 150 }, third!])
  expect(effect).toMatchObject({ added: 0, tooLate: 1 })

  // The added step, at five and a half hours, is in the future again. The second step is sent after six.
  await shop.fill('one', [buildTea(), buildTea()])
  await shop.passTime(3 * HOUR)
  await call('POST', '/api/stores/sending/resume')
  await shop.passTime(MINUTE)
  expect((await shop.messages()).map(({ step, state }) => [step, state])).toEqual([
    [1, 'sent'],
    [2, 'sent'],
    [4, 'scheduled'],
  ])

  await call('POST', `/api/flows/${shop.flowId}/switch`, { isOn: true })
  expect((await shop.messages()).map(({ step }) => step)).toEqual([1, 2, 3, 4])
  await shop.passTime(58 * MINUTE)
  expect(world.sent).toHaveLength(2)
  await shop.passTime(3 * MINUTE)
  expect(world.sent).toHaveLength(3)
})
