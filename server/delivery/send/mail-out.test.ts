import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { buildOrder, completeOrderCheck, createStore } from '../../../test/factories.ts'
import {
  advanceToAbandoned,
  HOUR,
  listStepStates,
  type MessageScene,
  MINUTE,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import type { EmailChannel, Outcome, OutgoingEmail } from '../../messages/channels/channel.ts'
import type { OwnMail } from '../email/own-mail.ts'

// Selection of the mail server, and the behaviour while an account's own one fails.

const world = createWorld()
const own = new Map<string, EmailChannel>()
const byOwn: OutgoingEmail[] = []
let answer: (mail: OutgoingEmail) => Outcome | Promise<Outcome>
const accepted = (mail: OutgoingEmail): Outcome => ({
  kind: 'accepted',
  providerId: mail.messageId,
  response: '250 ok',
})
const down = (): Outcome => ({ kind: 'retry', reason: 'connection_refused', response: 'connect ECONNREFUSED' })

function buildChannel(): EmailChannel {
  return {
    poolSize: 2,
    async send(mail) {
      byOwn.push(mail)
      return answer(mail)
    },
    check: async () => ({ isOk: true }),
    close: async () => {},
  }
}

/** The row as the settings keep it; the channel as `openOwnMails` would give it. */
async function enter(accountId: string) {
  const at = world.now
  const row = { account_id: accountId, host: 'smtp.mugs.example', port: 587, security: 'starttls' as const }
  await world.db
    .insertInto('mail_servers')
    .values({ ...row, user_name: 'shop@mugs.example', check_answer: 'ok', checked_at: at })
    .execute()
  own.set(accountId, buildChannel())
}

beforeEach(() => {
  answer = accepted
  byOwn.length = 0
  world.deps.channels.ownMail = async (accountId): Promise<OwnMail | null> => {
    const row = await world.db
      .selectFrom('mail_servers')
      .selectAll()
      .where('account_id', '=', accountId)
      .executeTakeFirst()
    const channel = own.get(accountId)
    if (!row || !channel) return null
    const key = { version: row.version, checkedAt: row.checked_at }
    return { channel, key, from: 'shop@mugs.example', isFailing: row.problem !== null }
  }
})
afterAll(() => own.clear())

async function abandon(count: number): Promise<MessageScene> {
  const store = await createStore(world)
  const orders = Array.from({ length: count }, () => buildOrder(world))
  await recordOrders(world.deps, store.storeId, orders, 'sync')
  world.sent.length = 0
  return { ...store, orders }
}
const due = async (scene: MessageScene) => advanceToAbandoned(world, scene.storeId, HOUR)
async function pass(scene: MessageScene, ms: number) {
  world.advance(ms)
  await completeOrderCheck(world, scene.storeId)
  await sendDueMessages(world, scene.storeId)
}
const countFirstStates = async ({ storeId }: MessageScene) => {
  const first = (await readMessages(world, storeId)).filter(({ step }) => step === 1)
  const states = first.map(({ state, reason }) => (reason ? `${state}(${reason})` : state))
  return Object.fromEntries([...Map.groupBy(states, (word) => word)].map(([word, all]) => [word, all.length]))
}
const selectServer = ({ accountId }: MessageScene) =>
  world.db.selectFrom('mail_servers').selectAll().where('account_id', '=', accountId).executeTakeFirst()

test('messages use the account’s own mail server and address; those of other accounts use the installation’s', async () => {
  const [mine, theirs] = [await abandon(1), await abandon(1)]
  await enter(mine.accountId)
  await due(mine)
  await sendDueMessages(world, mine.storeId)
  await completeOrderCheck(world, theirs.storeId)
  await sendDueMessages(world, theirs.storeId)
  expect(byOwn).toMatchObject([{ to: mine.orders[0]!.email, from: { address: 'shop@mugs.example' } }])
  expect(world.sent.map(({ to }) => to)).toEqual([theirs.orders[0]!.email])
})

test('a failing mail server is paused after a few attempts, without lost mails or delays for other accounts (D8)', async () => {
  const [mine, theirs] = [await abandon(20), await abandon(3)]
  await enter(mine.accountId)
  answer = down
  await due(mine)
  await sendDueMessages(world, mine.storeId)
  // Its two connections: what was in flight when the first failure came back, and nothing after it.
  expect(byOwn.length).toBeLessThanOrEqual(4)
  const openCount = byOwn.length
  expect(await countFirstStates(mine)).toEqual({ 'held(retry)': openCount, 'held(mail_server_away)': 20 - openCount })
  expect(await selectServer(mine)).toMatchObject({ problem: expect.stringContaining('ECONNREFUSED'), failures: 1 })
  await completeOrderCheck(world, theirs.storeId)
  await sendDueMessages(world, theirs.storeId)
  expect(await countFirstStates(theirs)).toEqual({ sent: 3 })
  // Longer each time.
  await pass(mine, 31_000)
  expect(byOwn.length).toBeLessThanOrEqual(openCount + 4)
  const { rests_until: rests } = (await selectServer(mine))!
  expect(rests!.getTime() - world.now.getTime()).toBe(MINUTE)
  answer = accepted
  await pass(mine, 2 * MINUTE)
  await pass(mine, 2 * MINUTE)
  expect(await countFirstStates(mine)).toEqual({ sent: 20 })
  expect(await selectServer(mine)).toMatchObject({ problem: null, failures: 0, rests_until: null })
})

test('a failure of one message does not delay the others', async () => {
  const scene = await abandon(6)
  await enter(scene.accountId)
  const greylisted = scene.orders[2]!.email
  answer = (mail) =>
    mail.to === greylisted
      ? { kind: 'retry', reason: 'smtp_450', response: '450 4.2.0 Greylisted', isOfMessage: true }
      : accepted(mail)
  await due(scene)
  await sendDueMessages(world, scene.storeId)
  expect(await countFirstStates(scene)).toEqual({ sent: 5, 'held(retry)': 1 })
  expect((await selectServer(scene))!.problem).toBeNull()
})

test('a mail server removed during a batch gets no further mail after a second (D5)', async () => {
  const scene = await abandon(12)
  await enter(scene.accountId)
  answer = async (mail) => {
    if (byOwn.length === 3)
      await world.db.deleteFrom('mail_servers').where('account_id', '=', scene.accountId).execute()
    if (byOwn.length >= 3) world.advance(600)
    return accepted(mail)
  }
  await due(scene)
  await sendDueMessages(world, scene.storeId)
  expect(byOwn.length).toBeLessThanOrEqual(6)
  expect(byOwn.length + world.sent.length).toBe(12)
  expect(await countFirstStates(scene)).toEqual({ sent: 12 })
})

test('the demo account uses the built-in mailbox and ignores its settings (decision 29)', async () => {
  const scene = await abandon(1)
  await enter(scene.accountId)
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', scene.accountId).execute()
  await due(scene)
  await sendDueMessages(world, scene.storeId)
  expect([byOwn.length, world.sent.length]).toEqual([0, 1])
})

test('a mail accepted by a mail server is not shown as kept in the mailbox', async () => {
  const scene = await abandon(1)
  await due(scene)
  await sendDueMessages(world, scene.storeId)
  const list = await world.request('GET', '/api/carts/abandoned', { token: scene.token })
  expect(list.body.carts[0]).toMatchObject({ status: 'Email Sent', is_in_mailbox: false })
})

test('a mail accepted by the built-in mailbox is marked as not delivered to the shopper', async () => {
  const { email } = world.deps.channels
  world.deps.channels.email = { ...email, isMailbox: true }
  const scene = await abandon(1)
  await due(scene)
  await sendDueMessages(world, scene.storeId)
  world.deps.channels.email = email
  expect((await listStepStates(world, scene.storeId))[0]).toBe('sent(accepted:mailbox)')
  const { cart_id: cartId } = (await readMessages(world, scene.storeId))[0]!
  const { body } = await world.request('GET', `/api/carts/${cartId}/messages`, { token: scene.token })
  expect(body.messages[0].explanation).toContain('It was not sent to the shopper')
  const news = await readNotifications(world, scene.storeId)
  expect(news.map(({ title }) => title)).toContain('Recovery email kept on this server')
  const list = await world.request('GET', '/api/carts/abandoned', { token: scene.token })
  const one = await world.request('GET', `/api/carts/${cartId}`, { token: scene.token })
  for (const cart of [list.body.carts[0], one.body.cart]) {
    expect([cart.status, cart.is_in_mailbox]).toEqual(['Email Sent', true])
  }
})

describe('on a public server without a mail server', () => {
  const open = createWorld({ PUBLIC_URL: 'https://recoup.example.com' })

  test('flows and manual sends are refused with the reason until the account enters a mail server', async () => {
    const store = await createStore(open, { isFlowOn: false })
    await recordOrders(open.deps, store.storeId, [buildOrder(open)], 'sync')
    const { token, flowId } = store
    const body = { isOn: true, holdoutPercent: 0, includeLast24h: false }
    const on = () => open.request('POST', `/api/flows/${flowId}/switch`, { token, body })
    const refused = await on()
    expect([refused.status, refused.body.error]).toEqual([422, expect.stringContaining('No mail server is set up')])
    const flows = await open.request('GET', '/api/flows', { token })
    expect(flows.body.flows[0].missing).toEqual([expect.stringContaining('Settings, Sending, Mail server')])
    const cart = await open.db.selectFrom('carts').select(['id', 'email']).executeTakeFirstOrThrow()
    const job = { channel: 'email', cartIds: [cart.id] }
    for (const [url, body] of [
      ['/api/carts/send', job],
      ['/api/email/send-email', { to: cart.email, cart_id: cart.id }],
    ] as const) {
      const reply = await open.request('POST', url, { token, body })
      expect([url, reply.status, reply.body.error]).toEqual([url, 422, expect.stringContaining('No mail server')])
    }
    const row = { account_id: store.accountId, host: 'smtp.mugs.example', port: 587, security: 'starttls' as const }
    await open.db
      .insertInto('mail_servers')
      .values({ ...row, user_name: '', check_answer: 'ok', checked_at: open.now })
      .execute()
    expect((await on()).status).toBe(200)
  })
})
