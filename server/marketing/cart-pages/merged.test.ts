import { beforeEach, expect, test } from 'vitest'
import type { TimelineEntry } from '../../../shared/carts/carts.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, pot, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'

// The timeline after a merge of carts: what happened to the messages, and which flow continues.

const world = createWorld()
let shop: Shop
let n = 0

beforeEach(async () => {
  world.now = new Date(`${new Date(world.now.getTime() + DAY).toISOString().slice(0, 10)}T09:00:00Z`)
  shop = await createShop(world, { plan: 'starter' })
})

const call = (method: string, url: string, body?: object) =>
  world.request(method, url, { token: shop.token, ...(body && { body }) })

async function createSecondFlow() {
  const { id } = (await call('POST', '/api/flows', { from: 'ready_email' })).body.flow
  await call('POST', `/api/flows/${id}/switch`, { isOn: true })
}

/** Abandons a cart in the active flow; the first message has been sent. */
async function abandonCart(browser: string, email: string) {
  await shop.fill(browser, [browser === 'one' ? buildTea() : pot])
  await shop.type(browser, { email })
  await shop.passTime(HOUR)
  await shop.passTime(10 * MINUTE)
}

/** Abandons carts in two browsers that turn out to belong to one person. */
async function joined({ between }: { between: () => Promise<unknown> }) {
  const email = `joined${++n}@shoppers.example.com`
  await abandonCart('one', email)
  await between()
  await abandonCart('two', `other${n}@shoppers.example.com`)
  await shop.type('two', { email })
  await shop.passTime(MINUTE)
  const [first, second] = await shop.carts()
  expect(second).toMatchObject({ status: 'merged', merged_into: first!.id })
  // Either id opens the page of the surviving cart.
  const { body } = await call('GET', `/api/carts/${second!.id}/messages`)
  expect((await call('GET', `/api/carts/${first!.id}/messages`)).body).toEqual(body)
  return body
}

const tale = (timeline: TimelineEntry[]) => timeline.find(({ kind }) => kind === 'merged')

test('the timeline names cancelled messages of a cart in another flow, and says that the survivor stays in its own', async () => {
  const { timeline, flow } = await joined({
    async between() {
      await call('POST', `/api/flows/${shop.flowId}/switch`, { isOn: false })
      await createSecondFlow()
    },
  })
  expect(tale(timeline)).toMatchObject({
    title: 'Merged with another cart',
    text: 'Another cart of the same shopper was merged into this one. 2 messages scheduled for it were cancelled. It belonged to the flow “Ready email flow”; this cart stays in its own, “Abandoned cart reminders”, which is switched off.',
  })
  expect(flow).toMatchObject({ name: 'Abandoned cart reminders', isOn: false })
})

test('the timeline names cancelled messages of a cart in the same flow', async () => {
  const { timeline, flow } = await joined({ between: async () => {} })
  expect(tale(timeline)!.text).toBe(
    'Another cart of the same shopper was merged into this one. 2 messages scheduled for it were cancelled.',
  )
  expect(flow).toMatchObject({ name: 'Abandoned cart reminders', isOn: true })
})
