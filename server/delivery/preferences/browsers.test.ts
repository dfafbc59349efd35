import { expect, test } from 'vitest'
import { createMessageScene, HOUR, passTime } from '../../../test/message-scene.ts'
import { createTestBrowser, subscribeBrowser } from '../../../test/push-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { createToken } from '../../carts/links/message-tokens.ts'

// Notifications on the shopper's own page: they can be ended there, in all browsers of the person, and come back on the shop's pages alone.

const world = createWorld()

async function createReader() {
  const scene = await createMessageScene(world)
  await passTime(world, scene.storeId, HOUR)
  const mail = world.sent.at(-1)!
  const token = /\/preferences\?token=([\w-]{43})/.exec(mail.html)![1]!
  const path = `/api/preferences/${token}`
  const save = (body: object) => world.request('POST', path, { body: { language: 'en', ...body } })
  const browsers = async () => (await world.request('GET', path)).body.browsers
  for (const ip of ['198.51.100.1', '198.51.100.2']) {
    const reply = await subscribeBrowser(world, scene, createTestBrowser(), { email: mail.to, ip })
    expect([reply.status, reply.body.error]).toEqual([200, undefined])
  }
  const ledger = async () =>
    (
      await world.db
        .selectFrom('consents')
        .select(['status', 'source'])
        .where('store_id', '=', scene.storeId)
        .where('channel', '=', 'push')
        .orderBy('at')
        .orderBy('id')
        .execute()
    ).map(({ status, source }) => `${status}: ${source}`)
  return { ...scene, save, browsers, ledger }
}

test('the page shows the number of subscribed browsers, and other choices keep them', async () => {
  const { save, browsers } = await createReader()
  expect(await browsers()).toBe(2)
  await save({ channels: { email: false } })
  expect(await browsers()).toBe(2)
})

test('switching notifications off ends all of the shopper’s subscriptions and records each withdrawal (C2, C5)', async () => {
  const { storeId, save, browsers, ledger } = await createReader()
  const reply = await save({ isPushOff: true })
  expect([reply.body.browsers, reply.body.channels[0].isOn]).toEqual([0, true])
  expect(await browsers()).toBe(0)
  expect((await ledger()).slice(-2)).toEqual(['withdrawn: preference page', 'withdrawn: preference page'])
  // Nothing on the page brings them back.
  await save({ isPushOff: false, channels: { email: true } })
  expect(await browsers()).toBe(0)
  const live = await world.db.selectFrom('push_subscriptions').select('id').where('store_id', '=', storeId).execute()
  expect(live).toEqual([])
})

test('stopping everything ends the subscriptions too', async () => {
  const { save, browsers, ledger } = await createReader()
  await save({ isStopAll: true })
  expect(await browsers()).toBe(0)
  expect((await ledger()).at(-1)).toBe('withdrawn: preference page')
})

test('a notification has no working unsubscribe link, since its browser would stay subscribed (C2)', async () => {
  const { storeId, browsers, ledger } = await createReader()
  const { rows } = await world.pool.query<{ id: string }>(
    `update messages set channel = 'push', to_address = 'push:' || (select id from push_subscriptions where store_id = $1 limit 1)
     where store_id = $1 and state = 'sent' returning id`,
    [storeId],
  )
  const before = await ledger()
  const token = createToken(world.deps.secrets, 'unsubscribe', rows[0]!.id)
  expect((await world.request('POST', `/u/${token}`)).status).toBe(404)
  expect((await world.request('POST', `/api/unsubscribe/${token}`)).status).toBe(404)
  expect([await browsers(), await ledger()]).toEqual([2, before])
})
