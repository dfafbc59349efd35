import { expect, test } from 'vitest'
import {
  advanceToAbandoned,
  createMessageScene,
  DAY,
  HOUR,
  type MessageScene,
  passTime,
  readMessages,
} from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { hashToken } from '../../core/common/secrets.ts'
import { createClickPath, createToken, TOKEN_MS } from './message-tokens.ts'

// The targets and lifetime of message links (decision 150, X1, C8).

const world = createWorld()
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
const purposes = ['unsubscribe', 'preferences'] as const

async function sendMail() {
  const scene = await createMessageScene(world)
  await passTime(world, scene.storeId, HOUR)
  const [message] = await readMessages(world, scene.storeId)
  return { ...scene, id: message!.id, message: message! }
}

const createTokenFor = (purpose: (typeof purposes)[number] | 'click', id: string) =>
  createToken(world.deps.secrets, purpose, id)
const readLocation = async (path: string) => (await world.request('GET', path, { headers: BROWSER })).headers.location
const click = (id: string, target: string | null = null) =>
  readLocation(createClickPath(world.deps.secrets, id, target))
const opens = async (id: string) => {
  const replies = purposes.map((purpose) => world.request('GET', `/api/${purpose}/${createTokenFor(purpose, id)}`))
  const statuses = (await Promise.all(replies)).map(({ status }) => status)
  return [...statuses, String(await click(id)).includes('cart_id=rt_')]
}
const OPEN = [200, 200, true]
const NOT_THERE = [404, 404, false]
const readStoredTokens = async ({ storeId }: MessageScene) =>
  (await world.db.selectFrom('link_tokens').select('purpose').where('store_id', '=', storeId).execute()).map(
    ({ purpose }) => purpose,
  )
const readHome = async ({ storeId }: MessageScene) =>
  (await world.db.selectFrom('stores').select('home_url').where('id', '=', storeId).executeTakeFirstOrThrow()).home_url
const countVisits = (id: string) =>
  world.db.selectFrom('engagement_events').select(['kind', 'target']).where('message_id', '=', id).execute()

test('a sent mail stores only its restore token, and its other links are valid for 30 days', async () => {
  const mail = await sendMail()
  expect(await readStoredTokens(mail)).toEqual(['restore'])
  expect(await opens(mail.id)).toEqual(OPEN)
  world.advance(TOKEN_MS - 2)
  expect(await opens(mail.id)).toEqual(OPEN)
  world.advance(2)
  expect(await opens(mail.id)).toEqual(NOT_THERE)
})

test('an unsent or unknown message has no links for any token', async () => {
  const scene = await createMessageScene(world)
  await advanceToAbandoned(world, scene.storeId, HOUR)
  const [message] = await readMessages(world, scene.storeId)
  expect(message!.state).toBe('scheduled')
  expect(await opens(message!.id)).toEqual(NOT_THERE)
  expect(await opens(createId())).toEqual(NOT_THERE)
})

test('the unsubscribe link of a refused or retried mail works, because the mail may have arrived', async () => {
  const { id } = await sendMail()
  const set = (state: 'held' | 'failed') =>
    world.db.updateTable('messages').set({ state, sending_at: null }).where('id', '=', id).execute()
  for (const state of ['held', 'failed'] as const) {
    await set(state)
    expect(await opens(id)).toEqual(OPEN)
  }
  world.advance(TOKEN_MS)
  expect(await opens(id)).toEqual(NOT_THERE)
})

test('a link to the shop leads only to hosts that the platform reports for that store (X1)', async () => {
  const [mail, other] = [await sendMail(), await sendMail()]
  const page = `${await readHome(mail)}/sale?size=2#red`
  expect(await click(mail.id, page)).toBe(page)
  for (const foreign of [`${await readHome(other)}/sale`, 'https://evil.example/', 'javascript:alert(1)'])
    expect(await click(mail.id, foreign)).toContain('/cart/recover?cart_id=rt_')
  const { token, to } = /\/c\/(?<token>[\w-]+)\?to=(?<to>[\w-]+)/.exec(
    createClickPath(world.deps.secrets, mail.id, page),
  )!.groups as Record<'token' | 'to', string>
  const forged = [`/c/${createTokenFor('click', mail.id)}?to=${to}`, `/c/${token}`, `/c/${token}?to=${to}&to=${to}`]
  forged.push(
    `/c/${createTokenFor('click', other.id)}?to=${to}`,
    `/c/${token}?to=${Buffer.from(page).toString('base64url')}`,
  )
  for (const path of forged)
    expect([path, await readLocation(path)]).toEqual([path, expect.stringContaining('cart_id=unknown')])
  expect(await countVisits(mail.id)).toContainEqual({ kind: 'click', target: page.split('?')[0] })
  await world.db
    .updateTable('stores')
    .set({ url: 'https://moved.example', home_url: 'https://moved.example' })
    .where('id', '=', mail.storeId)
    .execute()
  expect(await click(mail.id, page)).toContain('/cart/recover?cart_id=rt_')
})

test('a token opens nothing of another purpose (X1)', async () => {
  const { id } = await sendMail()
  const tokens = {
    click: createTokenFor('click', id),
    unsubscribe: createTokenFor('unsubscribe', id),
    preferences: createTokenFor('preferences', id),
  }
  const calls = { click: '/c/', unsubscribe: '/api/unsubscribe/', preferences: '/api/preferences/' }
  for (const [purpose, token] of Object.entries(tokens))
    for (const [call, path] of Object.entries(calls)) {
      const { status, headers } = await world.request('GET', `${path}${token}`, { headers: BROWSER })
      const isOpen = call === 'click' ? String(headers.location).includes('cart_id=rt_') : status === 200
      expect([purpose, call, isOpen]).toEqual([purpose, call, purpose === call])
    }
})

test('links of an erased shopper open nothing and reveal nothing (C8)', async () => {
  const mail = await sendMail()
  const page = `https://${mail.orders[0]!.email!.split('@')[0]}.example/`
  const visits = await countVisits(mail.id)
  const path = `/api/privacy/${encodeURIComponent(mail.message.to_address!)}`
  const erase = { token: mail.token, body: { confirmation: 'erase' } }
  expect((await world.request('DELETE', path, erase)).status).toBe(202)
  await world.runJobs()
  expect(await opens(mail.id)).toEqual(NOT_THERE)
  expect(await click(mail.id, page)).toContain('cart_id=unknown')
  expect(await countVisits(mail.id)).toEqual(visits)
})

test('links of messages sent before decision 150 are rows, valid for their purpose until they expire', async () => {
  const mail = await sendMail()
  const old = (purpose: string, n = 0) => world.deps.secrets.token(purpose, `${mail.id}:${n}`)
  const page = `https://${new URL(await readHome(mail)).host}/sale`
  const rows = [
    ...(['click', 'unsubscribe', 'preferences'] as const).map((purpose) => ({
      purpose,
      token: old(purpose),
      target: null,
    })),
    { purpose: 'click' as const, token: old('click', 4), target: page },
  ]
  const until = new Date(world.now.getTime() + DAY)
  await world.db
    .insertInto('link_tokens')
    .values(
      rows.map(({ token, purpose, target }) => ({
        store_id: mail.storeId,
        message_id: mail.id,
        cart_id: mail.message.cart_id,
        purpose,
        target,
        token_hash: hashToken(token),
        created_at: world.now,
        expires_at: until,
      })),
    )
    .execute()
  const found = async () => [
    (await world.request('GET', `/api/unsubscribe/${old('unsubscribe')}`)).status,
    (await world.request('GET', `/api/preferences/${old('preferences')}`)).status,
    await readLocation(`/c/${old('click')}`),
    await readLocation(`/c/${old('click', 4)}`),
  ]
  expect(await found()).toEqual([200, 200, expect.stringContaining('cart_id=rt_'), page])
  expect((await world.request('GET', `/api/preferences/${old('unsubscribe')}`)).status).toBe(404)
  expect(await readLocation(`/c/${old('unsubscribe')}`)).toContain('cart_id=unknown')
  expect((await world.request('POST', `/u/${old('unsubscribe')}`)).status).toBe(200)
  world.advance(DAY)
  const unknown = expect.stringContaining('cart_id=unknown')
  expect(await found()).toEqual([404, 404, unknown, unknown])
})
