import { expect, test } from 'vitest'
import { postWithWorker } from '../../../test/manual-send-scene.ts'
import { buildTea, createShop, HOUR, MINUTE } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'

const world = createWorld()

const pause = (token: string) => world.request('POST', '/api/stores/sending/pause', { token })
const resume = (token: string) => world.request('POST', '/api/stores/sending/resume', { token })
const view = async (token: string) => (await world.request('GET', '/api/stores/sending/pause', { token })).body.pause

async function createDueCart() {
  const shop = await createShop(world)
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email: 'ada@example.com' })
  return shop
}

const sentTo = (address: string) => world.sent.filter((mail) => mail.to === address).length

test('a pause holds due messages, shows who paused and what waits, and resuming sends them (D5)', async () => {
  const shop = await createDueCart()
  const before = sentTo('ada@example.com')
  const { body } = await pause(shop.token)
  expect(body.pause).toEqual({
    pausedAt: world.now.toISOString(),
    pausedBy: expect.any(String),
    waiting: 0,
    nextExpiresAt: null,
  })
  await shop.passTime(HOUR + MINUTE)
  expect(sentTo('ada@example.com')).toBe(before)
  expect((await shop.messages())[0]).toMatchObject({ state: 'held', reason: 'sending_paused' })
  expect(await view(shop.token)).toMatchObject({ waiting: 1, nextExpiresAt: expect.any(String) })

  world.advance(HOUR)
  expect((await resume(shop.token)).body).toEqual({ pause: null })
  await shop.passTime(1_000)
  expect(sentTo('ada@example.com')).toBe(before + 1)
})

test('messages that expire meanwhile are not sent (D7)', async () => {
  const shop = await createDueCart()
  await shop.passTime(30 * MINUTE)
  await pause(shop.token)
  await shop.passTime(100 * HOUR)
  await resume(shop.token)
  await shop.passTime(1_000)
  expect((await shop.messages()).find((each) => each.step === 3)).toMatchObject({ state: 'skipped', reason: 'too_old' })
})

test('a manual message is rejected with the reason and not stored (D11)', async () => {
  const shop = await createShop(world)
  await shop.mailed({ email: 'bo@example.com' })
  const cart = await shop.cart()
  await pause(shop.token)
  const mail = { to: 'bo@example.com', cart_id: cart.id }
  const { status, body } = await postWithWorker(world, shop, '/api/email/send-email', mail)
  expect([status, body.error]).toEqual([422, expect.stringContaining('All sending for this store is paused')])
  expect((await shop.messages()).filter((each) => each.origin_kind === 'manual' && each.state === 'held')).toEqual([])
})

test('a second pause keeps the first member, and resuming an active store changes nothing', async () => {
  const shop = await createShop(world)
  const first = (await pause(shop.token)).body.pause
  world.advance(MINUTE)
  expect((await pause(shop.token)).body.pause.pausedAt).toBe(first.pausedAt)
  await resume(shop.token)
  expect((await resume(shop.token)).body).toEqual({ pause: null })
})

test('a pause affects one store only, and members cannot pause (decision 136)', async () => {
  const paused = await createDueCart()
  const other = await createShop(world)
  await pause(paused.token)
  expect(await view(other.token)).toBeNull()
  await other.mailed({ email: 'cy@example.com' })
  const member = await createShop(world, { role: 'member' })
  expect((await pause(member.token)).status).toBe(403)
  expect(await view(member.token)).toBeNull()
})
