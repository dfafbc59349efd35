import { beforeEach, describe, expect, test } from 'vitest'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { grantConsent, takeGermanPhone, takeUsPhone } from '../../../test/manual-send-scene.ts'
import { advanceToAbandoned, DAY, MINUTE, passTime, readMessages } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'

// Forecast of the next hour, message by message: each expected send counts for the ones behind it.

const world = createWorld()
let store: TestStore

beforeEach(async () => {
  // Afternoon in Germany, morning in New York.
  world.now = new Date(`${new Date(world.now.getTime() + DAY).toISOString().slice(0, 10)}T14:00:00Z`)
  world.sent.length = 0
  world.texts.length = 0
  store = await createStore(world, { plan: 'growth' })
})

interface Shopper {
  country?: string
  phone: string
  /** Reachable by email as well. */
  isMailed?: boolean
}

/** Sets the delays of the steps and their channels. */
async function setSteps(delays: readonly number[], channels: readonly string[]): Promise<void> {
  const [channel, ...fallback] = channels
  for (const [index, delay_minutes] of delays.entries()) {
    await world.pool.query(
      `update flow_steps set delay_minutes = $3, channel = $4, fallback = $5 where store_id = $1 and step = $2`,
      [store.storeId, index + 1, delay_minutes, channel, fallback],
    )
  }
}

/** Abandoned carts of shoppers without an email address who agreed to SMS. */
async function abandonCarts(...shoppers: Shopper[]): Promise<void> {
  const orders = shoppers.map(({ country = 'DE', phone }) => buildOrder(world, { country, phone }))
  await recordOrders(world.deps, store.storeId, orders, 'sync')
  for (const order of orders) await grantConsent(world, store, order)
  const hasMail = shoppers.some(({ isMailed }) => isMailed)
  const abandoned = { ...(!hasMail && { email: null }), abandon_at: new Date(world.now.getTime() + 15 * MINUTE) }
  await world.db.updateTable('carts').set(abandoned).where('store_id', '=', store.storeId).execute()
}

const read = async (minutes = 60) =>
  (await world.request('GET', `/api/flows/${store.flowId}/upcoming?minutes=${minutes}`, { token: store.token })).body

interface Expected {
  to: string
  step: number
}
const listExpected = (upcoming: { messages: Expected[] }) =>
  upcoming.messages.map(({ to, step }) => `${step} to ${to}`).toSorted()
const why = (upcoming: { notSent: { explanation: string; count: number }[] }) =>
  upcoming.notSent.map(({ explanation, count }) => [count, explanation]).toSorted()

describe('two texts of a cart within the hour', () => {
  const cart = [takeGermanPhone(), takeUsPhone()] as const

  test('the second waits for the gap or the cooldown, or is never sent, when the first is sent', async () => {
    await abandonCarts({ phone: cart[0] }, { phone: cart[1], country: 'US' })
    await setSteps([60, 75, 4_320], ['email', 'sms'])
    await advanceToAbandoned(world, store.storeId, 45 * MINUTE)
    const upcoming = await read()
    expect(listExpected(upcoming)).toEqual([`1 to ${cart[0]}`, `1 to ${cart[1]}`].toSorted())
    expect(upcoming.total).toBe(2)
    expect(why(upcoming)).toEqual([
      [1, expect.stringContaining('A message of the same kind was sent for this cart a short time ago.')],
      [1, expect.stringContaining('A US shopper may get only one SMS per cart, and it was already sent.')],
    ])
  })

  test('matches the later sends', async () => {
    await abandonCarts({ phone: takeGermanPhone() })
    await setSteps([60, 75, 4_320], ['sms'])
    await advanceToAbandoned(world, store.storeId, 45 * MINUTE)
    const { messages } = await read()
    expect(messages).toMatchObject([{ step: 1, channel: 'sms' }])
    for (const _ of [1, 2, 3, 4]) await passTime(world, store.storeId, 15 * MINUTE)
    expect(world.texts).toHaveLength(1)
    const [first, second] = await readMessages(world, store.storeId)
    expect([first!.state, second!.reason]).toEqual(['sent', 'cooldown'])
  })
})

test('a deferred message is overtaken once the next step is due', async () => {
  await abandonCarts({ phone: takeGermanPhone() })
  await setSteps([60, 75, 4_320], ['sms'])
  await advanceToAbandoned(world, store.storeId, 45 * MINUTE)
  // The first is deferred until the second is due; of both, the later one is sent.
  const rows = await readMessages(world, store.storeId)
  const at = new Date(rows[1]!.due_at.getTime() + MINUTE)
  await world.db.updateTable('messages').set({ wake_at: at }).where('id', '=', rows[0]!.id).execute()
  const upcoming = await read()
  expect(upcoming.messages).toMatchObject([{ step: 2 }])
  expect(why(upcoming)).toEqual([[1, expect.stringContaining('A later message about this cart')]])
})

test('the next message keeps its gap to a late one', async () => {
  await abandonCarts({ phone: takeGermanPhone(), isMailed: true })
  await setSteps([60, 200, 4_320], ['email'])
  await advanceToAbandoned(world, store.storeId, 170 * MINUTE)
  // The first is sent now, 110 minutes late; the second would be due in half an hour.
  const upcoming = await read()
  expect(upcoming.messages).toMatchObject([{ step: 1 }])
  expect(why(upcoming)).toEqual([
    [1, 'An earlier message about this cart is sent first. This one follows after the usual delay.'],
  ])
  expect((await read(180)).messages).toMatchObject([{ step: 1 }, { step: 2 }])
})

test('earlier messages use up the frequency cap of a person', async () => {
  await abandonCarts({ phone: takeGermanPhone(), isMailed: true })
  await setSteps([60, 75, 4_320], ['email'])
  await world.db.updateTable('stores').set({ cap_messages: 1 }).where('id', '=', store.storeId).execute()
  await advanceToAbandoned(world, store.storeId, 45 * MINUTE)
  const upcoming = await read()
  expect(upcoming.messages).toMatchObject([{ step: 1 }])
  expect(why(upcoming)).toEqual([[1, expect.stringContaining('frequency cap')]])
})
