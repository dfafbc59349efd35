import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildOrder, completeOrderCheck } from '../../../test/factories.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  DAY,
  HOUR,
  type MessageScene,
  MINUTE,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createSmtpChannel } from '../email/smtp.ts'
import { recordMailReport } from '../mail-reports/mail-reports.ts'

// A receiver that has had enough is left alone for a while: a real mail server defers, blocks and takes mail again.

const world = createWorld()
let server: SMTPServer
/** The server's reply to RCPT; null: it accepts the mail. */
let answer: { code: number; text: string } | null = null
const accepted: string[] = []
const lookups: string[] = []

beforeAll(async () => {
  server = new SMTPServer({
    authOptional: true,
    logger: false,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo({ address }, _session, done) {
      lookups.push(address)
      const isElsewhere = address.endsWith('@elsewhere.example')
      done(answer && !isElsewhere ? Object.assign(new Error(answer.text), { responseCode: answer.code }) : null)
    },
    onData(stream, session, done) {
      stream.resume()
      stream.on('end', () => {
        accepted.push(session.envelope.rcptTo[0]!.address)
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  world.deps.channels.email = createSmtpChannel({ url: `smtp://127.0.0.1:${port}`, poolSize: 2 })
})
afterAll(async () => {
  await world.deps.channels.email.close()
  await new Promise<void>((resolve) => server.close(() => resolve()))
})

let scene: MessageScene
let n = 0
beforeEach(async () => {
  answer = null
  scene = await createMessageScene(world, 0)
  accepted.length = 0
  lookups.length = 0
})

/** Carts left behind by people at a domain. */
async function abandonOrders(count: number, domain: string) {
  const orders = Array.from({ length: count }, () => buildOrder(world, { email: `p${++n}@${domain}` }))
  await recordOrders(world.deps, scene.storeId, orders, 'sync')
  await advanceToAbandoned(world, scene.storeId, HOUR)
}

const states = async () => {
  const first = (await readMessages(world, scene.storeId)).filter(({ step }) => step === 1)
  const states = first.map(({ state, reason }) => (reason ? `${state}(${reason})` : state))
  return Object.fromEntries([...Map.groupBy(states, (word) => word)].map(([word, all]) => [word, all.length]))
}

async function pass(ms: number) {
  world.advance(ms)
  await completeOrderCheck(world, scene.storeId)
  await sendDueMessages(world, scene.storeId)
}

const domains = async () =>
  (await world.request('GET', '/api/sending/throttled-domains', { token: scene.token })).body.domains

test('a throttling receiver is paused, one message probes it, then all are sent once (D1)', async () => {
  await abandonOrders(8, 'busy.example')
  await abandonOrders(1, 'elsewhere.example')
  answer = { code: 421, text: '4.7.28 unusual rate of mail from p1@busy.example' }
  await sendDueMessages(world, scene.storeId)
  // Two connections: what was in flight when the first no came, and nothing after it.
  expect(lookups.filter((address) => address.endsWith('busy.example')).length).toBeLessThanOrEqual(4)
  expect(accepted).toEqual([expect.stringContaining('elsewhere.example')])
  const first = lookups.length
  expect(await domains()).toMatchObject([
    { domain: 'busy.example', kind: 'deferred', answer: expect.stringContaining('unusual rate') },
  ])
  expect(JSON.stringify(await domains())).not.toContain('p1@')

  await pass(3 * MINUTE)
  expect(lookups).toHaveLength(first)
  expect(await states()).toEqual({ sent: 1, 'held(domain_throttled)': 8 })

  await pass(4 * MINUTE)
  expect(lookups).toHaveLength(first + 1)
  const [paused] = await domains()
  const pause = Date.parse(paused.triesAt) - world.now.getTime()
  expect(pause).toBeGreaterThanOrEqual(8 * MINUTE)
  expect(pause).toBeLessThanOrEqual(12 * MINUTE)

  answer = null
  await pass(13 * MINUTE)
  await pass(2 * MINUTE)
  expect(await states()).toEqual({ sent: 9 })
  expect(accepted).toHaveLength(9)
  expect(new Set(accepted).size).toBe(9)
  expect(await domains()).toEqual([])
})

test('the others wait for the reply to the probe', async () => {
  await abandonOrders(4, 'slow.example')
  answer = { code: 451, text: '4.7.650 temporarily rate limited' }
  await sendDueMessages(world, scene.storeId)
  const before = lookups.length
  let during: unknown
  world.advance(7 * MINUTE)
  const usual = world.deps.channels.email
  world.deps.channels.email = {
    ...usual,
    poolSize: 2,
    async send(mail) {
      during = { domains: await domains(), states: await states() }
      return usual.send(mail)
    },
  }
  await completeOrderCheck(world, scene.storeId)
  await sendDueMessages(world, scene.storeId)
  world.deps.channels.email = usual
  expect(lookups).toHaveLength(before + 1)
  expect(during).toMatchObject({ domains: [{ domain: 'slow.example', triesAt: null }], states: { sending: 1 } })
})

test('two blocks pause a domain, and the owner is notified once when it lasts and when it ends', async () => {
  await abandonOrders(30, 'strict.example')
  answer = { code: 550, text: '5.7.1 blocked using a list' }
  await sendDueMessages(world, scene.storeId)
  expect(await domains()).toMatchObject([{ domain: 'strict.example', kind: 'blocked' }])
  for (let hour = 0; hour < 4; hour++) for (const minutes of [20, 20, 20]) await pass(minutes * MINUTE)
  const news = async () =>
    (await readNotifications(world, scene.storeId)).filter(({ type }) => type.startsWith('domain_'))
  expect(await news()).toMatchObject([{ type: 'domain_throttled', title: 'strict.example is refusing your email' }])
  // Permanently rejected messages are not sent again; the others waited.
  // Whose pause has just ended, while one of them was tried again, is due and not yet looked at.
  const { 'held(domain_throttled)': held = 0, scheduled = 0 } = await states()
  expect(held + scheduled).toBeGreaterThan(15)
  answer = null
  await pass(5 * HOUR)
  await pass(2 * MINUTE)
  expect(await states()).not.toHaveProperty('held(domain_throttled)')
  expect((await news()).map(({ type }) => type)).toEqual(['domain_throttled', 'domain_reopened'])
})

test('no message waits beyond its age limit', async () => {
  await abandonOrders(3, 'never.example')
  await world.db.deleteFrom('messages').where('store_id', '=', scene.storeId).where('step', '>', 1).execute()
  answer = { code: 421, text: '4.7.0 too many messages' }
  await sendDueMessages(world, scene.storeId)
  await pass(DAY + MINUTE)
  expect(await states()).toEqual({ 'skipped(too_old)': 3 })
})

test('a later bounce report pauses too, and a delivery report reopens', async () => {
  await abandonOrders(1, 'reports.example')
  await sendDueMessages(world, scene.storeId)
  const [mail] = (await readMessages(world, scene.storeId)).filter(({ state }) => state === 'sent')
  const report = { messageId: mail!.id, source: 'dsn', status: '4.7.0', words: 'rate limited' }
  await recordMailReport(world.deps, { ...report, kind: 'soft' })
  expect(await domains()).toMatchObject([{ domain: 'reports.example' }])
  await recordMailReport(world.deps, { ...report, kind: 'delivered', status: null })
  expect(await domains()).toEqual([])
})

test('throttles of one account do not affect another', async () => {
  await abandonOrders(1, 'busy2.example')
  answer = { code: 421, text: '4.7.28 unusual rate' }
  await sendDueMessages(world, scene.storeId)
  expect(await domains()).toHaveLength(1)
  const other = await createMessageScene(world, 0)
  expect((await world.request('GET', '/api/sending/throttled-domains', { token: other.token })).body.domains).toEqual(
    [],
  )
})
