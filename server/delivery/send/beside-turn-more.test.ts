import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { completeOrderCheck } from '../../../test/factories.ts'
import { buildSavedSteps } from '../../../test/flow-edits.ts'
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import { HOUR, type MessageScene, MINUTE, markPurchased, passTime } from '../../../test/message-scene.ts'
import {
  changeDuringFlight,
  changeDuringSend,
  createDueReminders,
  createTestChannelRules,
  expectClosedUnsent,
  expectSent,
  type FlightPair,
  listDecisions,
  type PairScene,
  POOL_SIZE,
  readStoredMessage,
  readStoredMessages,
} from '../../../test/send-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { transact } from '../../core/db/db.ts'
import { mergeCartMessages, wakeMessages } from '../../messages/messages/messages.ts'
import { requestWake as wakeStoreMessages } from '../../messages/messages/sql.ts'
import { closeOpen } from '../../workspace/privacy/erase-sql.ts'
import { getDomain } from '../email/mail-headers.ts'
import { applyWaitingReports, recordMailReport } from '../mail-reports/mail-reports.ts'
import * as deliver from './send-due-sql.ts'
import * as turn from './turn-sql.ts'

// More events that meet open messages during the turn of mails (D5, D10). Events by shoppers, members and the claim are
// in beside-turn.test.ts, campaigns in beside-turn-campaigns.test.ts.

const world = createWorld()
beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
  world.sent.length = 0
})

type Change = (of: PairScene<MessageScene>) => Promise<unknown>

const sixReminders = async (change: Change) => changeDuringFlight(world, await createDueReminders(world), change)
const readStore = ({ storeId }: { storeId: string }) => ({ storeId, db: world.db })
const getIds = ({ sending, waiting }: FlightPair) => [sending.id, waiting.id]
const join = (of: { storeId: string }, from: string | null, into: string | null) =>
  transact(readStore(of), (tx) => mergeCartMessages(tx, from!, into!, world.now))

/** Manual mails, due at once. */
async function dueByHand(): Promise<Shop> {
  const shop = await createShop(world, POOL_SIZE + 1)
  const body = { channel: 'email', cartIds: shop.cartIds }
  const { status } = await world.request('POST', '/api/carts/send', { token: shop.token, body })
  expect(status).toBe(200)
  await completeOrderCheck(world, shop.storeId)
  return shop
}

describe('a prepared mail is closed and one in flight continues when', () => {
  const NOTHING_ELSE = {
    shopperIds: [],
    cartIds: [],
    orderIds: [],
    customerIds: [],
    cartTokens: [],
    hashes: [],
    addresses: [],
  }

  test.each<[string, string, Change]>([
    [
      'its cart is joined to the one whose mail is in flight (S6)',
      'cancelled(merged)',
      (six) => join(six, six.waiting.cart_id, six.sending.cart_id),
    ],
    [
      'the cart whose mail is in flight is joined to its cart (S6)',
      'skipped(merged)',
      (six) => join(six, six.sending.cart_id, six.waiting.cart_id),
    ],
    [
      'open messages of a person are closed as they are erased (C8)',
      'skipped(suppressed_erased)',
      (six) =>
        transact(readStore(six), (tx) =>
          closeOpen(tx, { ...NOTHING_ELSE, storeId: six.storeId, messageIds: getIds(six) }, world.now),
        ),
    ],
    [
      'an earlier mail came back for good, to both',
      'skipped(suppressed_hard_bounce)',
      (six) => reportAbout(six, 'hard'),
    ],
    [
      'both said that an earlier mail was spam (C1)',
      'skipped(suppressed_complaint)',
      (six) => reportAbout(six, 'complaint'),
    ],
  ])('%s', async (_, end, change) => {
    const after = await sixReminders(change)
    await expectClosedUnsent(world, after, end)
    await expectSent(world, after)
    await passTime(world, after.storeId, MINUTE)
    expect(world.sent).toHaveLength(POOL_SIZE)
  })

  /** Of mails that each of them got long before. */
  async function reportAbout({ sending, waiting }: FlightPair, kind: 'hard' | 'complaint') {
    for (const { lone_shopper_id: _, ...row } of [sending, waiting]) {
      const id = createId()
      const before = new Date(world.now.getTime() - 100 * HOUR)
      const sending = { sending_at: before, judged: null, claim: null, finished_at: before }
      const earlier = {
        ...row,
        id,
        ...sending,
        state: 'sent' as const,
        origin_kind: 'manual' as const,
        origin_id: createId(),
      }
      await world.db.insertInto('messages').values(earlier).execute()
      await report(id, kind)
    }
  }

  test.each<[string, string, (of: PairScene<Shop>) => Promise<unknown>]>([
    [
      'sent by hand: both buy',
      'cancelled(purchased)',
      ({ storeId, theirs }) =>
        recordOrders(
          world.deps,
          storeId,
          theirs.map((order) => markPurchased(world, order)),
          'webhook',
        ),
    ],
    [
      'sent by hand: their addresses are suppressed',
      'skipped(suppressed_manual)',
      async ({ token, theirs }) => {
        for (const { email } of theirs)
          await world.request('POST', '/api/suppressions', { token, body: { address: email } })
      },
    ],
    [
      'sent by hand: the store is disconnected (Y4)',
      'cancelled(disconnected)',
      ({ token }) => world.request('DELETE', '/api/stores/disconnect', { token }),
    ],
  ])('%s', async (_, end, change) => {
    const after = await changeDuringFlight(world, await dueByHand(), change)
    await expectClosedUnsent(world, after, end)
    await expectSent(world, after)
    expect(world.sent).toHaveLength(POOL_SIZE)
  })
})

describe('a prepared mail is sent unchanged and one in flight stays unchanged when', () => {
  const ANYTHING = {
    coupon_id: null,
    coupon_code: null,
    subject: null,
    body_html: null,
    body_text: '',
    template_id: null,
    template_version: null,
    variant_id: null,
    is_first_mail: false,
    judged: { reason: 'ok', inputs: {} },
    tokens: [],
  }

  test.each<[string, Change]>([
    [
      'the steps of the flow change their places',
      async ({ token, flowId, waiting }) => {
        const { name, steps } = (await world.request('GET', '/api/flows', { token })).body.flows[0]
        const [first, ...rest] = buildSavedSteps(steps, () => ({}))
        const { id: _, ...variant } = first!.variants[0]!
        const earlier = { delayMinutes: 30, channels: ['email'], variants: [variant] }
        const body = { name, steps: [earlier, first, ...rest] }
        const reply = await world.request('PUT', `/api/flows/${flowId}`, { token, body })
        expect([reply.status, reply.body.error]).toEqual([200, undefined])
        expect((await readStoredMessage(world, waiting.id)).step).toBe(2)
      },
    ],
    [
      'what was held for a reason is looked at again',
      (six) =>
        transact(readStore(six), async (tx) => {
          await wakeMessages(tx, getIds(six), ['no_consent'], world.now)
          await wakeStoreMessages(tx, ['no_consent'], world.now)
        }),
    ],
    [
      'a report about the mail in flight says that it waits at its receiver',
      ({ sending }) => report(sending.id, 'soft'),
    ],
    [
      'its claim prepares the one in flight once more',
      async (six) => {
        const { claim, id } = six.sending
        const limits = { now: world.now, capSince: world.now, capMax: 100, tokensUntil: world.now }
        const row = { ...ANYTHING, id, to_address: 'nobody@shoppers.example' }
        const preparing = { claim: claim!, ...limits }
        const prepared = await transact(readStore(six), (tx) => turn.prepare(tx, [row], preparing))
        expect([...prepared]).toEqual([])
      },
    ],
    [
      'the turn of another claim would let both leave',
      async (six) => {
        expect(await runOtherTurn(six)).toEqual([])
      },
    ],
    [
      'the ends of both are written down, as if they had left at another time',
      async (six) => {
        const messages = getIds(six).map((id) => ({
          id,
          sending_at: new Date(0),
          end: null,
          is_unheard: false,
          is_out: true,
        }))
        const written = await transact(readStore(six), (tx) =>
          turn.settle(tx, messages, { badge: 'Email Sent', now: world.now, silence: null }),
        )
        expect([...written]).toEqual([])
      },
    ],
  ])('%s', async (_, change) => {
    const after = await sixReminders(change)
    await expectSent(world, after)
    expect((await readStoredMessage(world, after.waiting.id)).state).toBe('sent')
    expect(world.sent.map(({ messageId }) => messageId)).toContain(after.waiting.id)
    expect(world.sent).toHaveLength(POOL_SIZE + 1)
  })
})

/** Which of both are sent by a turn of the same process for another claim. */
async function runOtherTurn({ accountId, storeId, sending, waiting }: PairScene<MessageScene>): Promise<string[]> {
  const { version } = await world.db
    .selectFrom('carts')
    .select('version')
    .where('id', '=', waiting.cart_id!)
    .executeTakeFirstOrThrow()
  const candidates = [sending, waiting].map(({ id, shopper_id, to_address }) => ({
    id,
    shopper_id,
    cart_version: version,
    address_hash: '',
    other_hashes: [],
    own: { domain: getDomain(to_address!) },
    coupon_id: null,
    coupon_code: null,
    coupon_wording: null,
    inputs: {},
  }))
  const limits = {
    claim: createId(),
    workerId: world.deps.workerId,
    now: world.now,
    localCopySince: new Date(0),
    accountId,
    capSince: world.now,
    capMax: 100,
    month: `${world.now.toISOString().slice(0, 7)}-01`,
    channel: 'email' as const,
    planLimit: -1,
  }
  const terms = createTestChannelRules(world, 'email', accountId)
  const { rows } = await turn.turnStatement(storeId, { answered: [], candidates }, limits, terms).execute(world.db)
  return rows.map(({ id }) => id)
}

test('deleting an account deletes its messages: nothing more is sent, and the process continues', async () => {
  const { storeId } = await createDueReminders(world)
  await changeDuringSend(world, storeId, () =>
    world.db.deleteFrom('messages').where('store_id', '=', storeId).execute(),
  )
  expect(await readStoredMessages(world, storeId)).toEqual([])
  expect(world.sent).toHaveLength(POOL_SIZE)
})

test('a changed channel keeps a prepared mail from being sent and leaves one in flight unchanged', async () => {
  const after = await sixReminders(async (six) => {
    await world.db
      .updateTable('messages')
      .set({ channels: ['email', 'sms'] })
      .where('id', 'in', getIds(six))
      .execute()
    const chosen = getIds(six).map((id) => ({ id, channel: 'sms' as const }))
    await deliver.setChannels(readStore(six), six.waiting.claim!, chosen)
  })
  await expectSent(world, after)
  expect(await readStoredMessage(world, after.waiting.id)).toMatchObject({
    state: 'scheduled',
    claim: null,
    sending_at: null,
  })
  expect(world.sent).toHaveLength(POOL_SIZE)
})

test('a bounce of a mail in flight waits until the mail is settled (D4)', async () => {
  const after = await sixReminders(async ({ sending }) => {
    await report(sending.id, 'hard')
    await applyWaitingReports(world.deps)
  })
  await applyWaitingReports(world.deps)
  expect(await readStoredMessage(world, after.sending.id)).toMatchObject({ state: 'failed', reason: 'bounced' })
  expect((await listDecisions(world, after.sending.id)).slice(1)).toEqual(['result accepted', 'result bounced'])
  expect((await readStoredMessage(world, after.waiting.id)).state).toBe('sent')
})

test('an erasure waits until the mail in flight is settled, then erases the shopper (C8)', async () => {
  let erasing: Promise<void> | undefined
  const after = await sixReminders(async ({ token, sending }) => {
    const path = `/api/privacy/${encodeURIComponent(sending.to_address!)}`
    const { status } = await world.request('DELETE', path, { token, body: { confirmation: 'erase' } })
    expect(status).toBe(202)
    erasing = world.runJobs()
    // Long enough for its first look, which finds the mail in flight.
    await sleep(300)
  })
  await erasing
  const { state, to_address, subject, body_text } = await readStoredMessage(world, after.sending.id)
  expect([state, to_address, subject, body_text]).toEqual(['sent', null, null, null])
  expect((await readStoredMessage(world, after.waiting.id)).state).toBe('sent')
})

const report = (messageId: string, kind: 'soft' | 'hard' | 'complaint') =>
  recordMailReport(world.deps, { messageId, kind, status: null, words: '', source: 'dsn' })
