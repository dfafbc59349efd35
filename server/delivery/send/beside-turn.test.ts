import { beforeEach, describe, expect, test } from 'vitest'
import { hasSentMessage, selectBadgeColumns } from '../../../test/cart-badges.ts'
import { buildSavedSteps } from '../../../test/flow-edits.ts'
import {
  changeQuantities,
  findLink,
  type MessageScene,
  MINUTE,
  markPurchased,
  passTime,
} from '../../../test/message-scene.ts'
import {
  changeDuringFlight,
  createDueReminders,
  expectClosedUnsent,
  expectSent,
  type FlightPair,
  type PairScene,
  POOL_SIZE,
  readStoredMessage,
} from '../../../test/send-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { saveResting } from '../../billing/billing/resting.ts'
import { recordFacts, recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { transact, transactAccount } from '../../core/db/db.ts'
import { wakeCartMessages } from '../../messages/messages/messages.ts'
import { requestWakeOfStores as wakeMessagesOf } from '../../messages/messages/sql.ts'
import type { PlatformOrder } from '../../platforms/platform/platform.ts'
import * as composing from '../decide/composing-sql.ts'
import { releaseClaimsOfDead } from './abandoned.ts'
import * as deliver from './send-due-sql.ts'

// Events that stop or move open messages during the turn of mails (D5, D10). A prepared mail stops, a mail in flight
// stays unchanged and is settled. Each test has both at once.

const world = createWorld()
beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
  world.sent.length = 0
})

type Change = (of: PairScene<MessageScene>) => Promise<unknown>

const sixReminders = async (change: Change) => changeDuringFlight(world, await createDueReminders(world), change)

const call = async ({ token }: MessageScene, method: string, url: string, body?: object) => {
  const reply = await world.request(method, url, { token, ...(body && { body }) })
  expect([url, reply.status, reply.body?.error]).toEqual([url, 200, undefined])
  return reply
}

/** The flow, saved again. */
const saveFlow = async (scene: MessageScene, change: (steps: ReturnType<typeof buildSavedSteps>) => object[]) => {
  const { name, steps } = (await call(scene, 'GET', '/api/flows')).body.flows[0]
  await call(scene, 'PUT', `/api/flows/${scene.flowId}`, { name, steps: change(buildSavedSteps(steps, () => ({}))) })
}
const switchOff = (scene: MessageScene) => call(scene, 'POST', `/api/flows/${scene.flowId}/switch`, { isOn: false })

const typed = (storeId: string, emails: (string | null)[]) =>
  recordFacts(world.deps, { storeId, db: world.db }, [
    {
      keys: emails.map((value) => ({ kind: 'email' as const, value: value! })),
      source: 'capture',
      at: world.now,
      uniqueKey: createId(),
      payload: { type: 'contact', contact: { firstName: 'Ada' } },
    },
  ])
const emptied = (storeId: string, { email }: PlatformOrder) =>
  recordFacts(world.deps, { storeId, db: world.db }, [
    {
      keys: [{ kind: 'email', value: email! }],
      source: 'capture',
      at: world.now,
      uniqueKey: createId(),
      payload: { type: 'snapshot', items: [], coupons: [] },
    },
  ])

const getClaim = ({ waiting: { claim } }: FlightPair) => claim!
const getIds = ({ sending, waiting }: FlightPair) => [sending.id, waiting.id]

describe('a prepared reminder is closed and one in flight continues when', () => {
  test.each<[string, string, Change]>([
    [
      'both buy',
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
      'both empty their carts',
      'cancelled(emptied)',
      async ({ storeId, theirs }) => {
        for (const order of theirs) await emptied(storeId, order)
      },
    ],
    [
      'both unsubscribe, by the links of their mails',
      'skipped(suppressed_unsubscribed)',
      async ({ sending, waiting }) => {
        // It was tried before, and may have arrived.
        const tried = { attempts: 1, decided_at: world.now }
        await world.db.updateTable('messages').set(tried).where('id', '=', waiting.id).execute()
        for (const { body_html } of [sending, waiting]) {
          const reply = await world.request('POST', findLink(body_html!, '/u/'))
          expect(reply.status).toBe(200)
        }
      },
    ],
    [
      'their addresses are suppressed by hand',
      'skipped(suppressed_manual)',
      async ({ token, theirs }) => {
        for (const { email } of theirs)
          await world.request('POST', '/api/suppressions', { token, body: { address: email } })
      },
    ],
    [
      'both are erased (C8)',
      'skipped(suppressed_erased)',
      async (scene) => {
        const { token } = scene
        for (const { email } of scene.theirs) {
          const body = { confirmation: 'erase' }
          const { status } = await world.request('DELETE', `/api/privacy/${encodeURIComponent(email!)}`, {
            token,
            body,
          })
          expect(status).toBe(202)
        }
      },
    ],
    [
      'the store is disconnected (Y4)',
      'cancelled(disconnected)',
      (scene) => call(scene, 'DELETE', '/api/stores/disconnect'),
    ],
    [
      'the flow is deleted',
      'cancelled(flow_removed)',
      async (scene) => {
        await switchOff(scene)
        // The last one of a store stays.
        await call(scene, 'POST', '/api/flows', { from: 'ready_email' })
        await call(scene, 'DELETE', `/api/flows/${scene.flowId}`)
      },
    ],
    ['the step is removed', 'cancelled(step_removed)', (scene) => saveFlow(scene, (steps) => steps.slice(1))],
    [
      'their texts cannot be put together, and the claim closes them',
      'failed(template_error)',
      ({ storeId, ...beside }) =>
        transact({ storeId, db: world.db }, (tx) =>
          composing.closeUnusable(tx, getClaim(beside), getIds(beside), world.now),
        ),
    ],
    [
      'the claim decides otherwise',
      'skipped(too_old)',
      ({ storeId, ...beside }) =>
        deliver.applyDecisions({ storeId, db: world.db }, getClaim(beside), getIds(beside).map(tooOld), world.now),
    ],
  ])('%s', async (_, end, change) => {
    const after = await sixReminders(change)
    await expectClosedUnsent(world, after, end)
    await expectSent(world, after)
    await passTime(world, after.storeId, MINUTE)
    expect(world.sent).toHaveLength(POOL_SIZE)
  })

  const tooOld = (id: string) => ({
    id,
    channel: 'email' as const,
    state: 'skipped' as const,
    reason: 'too_old',
    wake_at: world.now,
    outcome: 'skip' as const,
    until: null,
    inputs: {},
    couponId: null,
  })

  test('both shoppers are merged: they get only the mail in flight (S6)', async () => {
    const after = await sixReminders(({ storeId, theirs }) =>
      typed(
        storeId,
        theirs.map(({ email }) => email),
      ),
    )
    const { sending, waiting, storeId } = after
    const theirs = await world.db
      .selectFrom('messages')
      .select(['state', 'reason'])
      .where('store_id', '=', storeId)
      .where('id', '<>', sending.id)
      .where('shopper_id', '=', (await readStoredMessage(world, sending.id)).shopper_id)
      .where('step', '=', 1)
      .execute()
    expect(theirs.map(({ state, reason }) => reason ?? state).every((reason) => reason === 'merged')).toBe(true)
    expect((await readStoredMessage(world, waiting.id)).reason).toBe('merged')
    expect(world.sent).toHaveLength(POOL_SIZE)
    await expectSent(world, after)
    const carts = await world.db
      .selectFrom('carts as c')
      .select(['status', hasSentMessage('c'), selectBadgeColumns('c')[0], selectBadgeColumns('c')[1]])
      .where('id', 'in', [sending.cart_id!, waiting.cart_id!])
      .where('merged_into', 'is', null)
      .execute()
    expect(carts).toEqual([
      { status: 'abandoned', badge: 'Email Sent', last_sent_at: sending.sending_at, is_mailed: true },
    ])
  })
})

describe('a prepared reminder is released and one in flight stays unchanged when', () => {
  const soon = (ms: number) => new Date(world.now.getTime() + ms)

  test.each<[string, Change]>([
    ['the flow is switched off', switchOff],
    [
      'the step is put off',
      (scene) => saveFlow(scene, ([first, ...rest]) => [{ ...first, delayMinutes: 120 }, ...rest]),
    ],
    [
      'both shop again (S2)',
      ({ storeId, theirs }) =>
        recordOrders(
          world.deps,
          storeId,
          theirs.map((order) => changeQuantities(world, order)),
          'webhook',
        ),
    ],
    [
      'the store rests',
      ({ accountId, storeId }) =>
        transactAccount({ accountId, db: world.db }, (tx) => saveResting(tx, [storeId], world.now)),
    ],
  ])('%s', async (_, change) => {
    const after = await sixReminders(change)
    const { state, claim, sending_at } = await readStoredMessage(world, after.waiting.id)
    expect(['scheduled', 'held']).toContain(state)
    expect([claim, sending_at]).toEqual([null, null])
    expect(world.sent).toHaveLength(POOL_SIZE)
    await expectSent(world, after)
    await passTime(world, after.storeId, MINUTE)
    expect(world.sent).toHaveLength(POOL_SIZE)
  })

  test('shopping again while the mail is in flight counts as later activity: the cart stays abandoned (S2)', async () => {
    const { sending, storeId } = await sixReminders(({ storeId, theirs }) =>
      recordOrders(
        world.deps,
        storeId,
        theirs.map((order) => changeQuantities(world, order)),
        'webhook',
      ),
    )
    const cart = await world.db
      .selectFrom('carts as c')
      .select(['status', selectBadgeColumns('c')[0]])
      .where('store_id', '=', storeId)
      .where('id', '=', sending.cart_id!)
      .executeTakeFirstOrThrow()
    expect(cart).toEqual({ status: 'abandoned', badge: 'Email Sent' })
  })

  test.each<[string, Change]>([
    [
      'its claim is given back',
      ({ storeId, ...beside }) =>
        deliver.releaseClaim(
          { storeId, db: world.db },
          { claim: getClaim(beside), workerId: world.deps.workerId },
          { ids: [], wakeAt: world.now },
          world.now,
        ),
    ],
    ['its process is taken for dead', () => releaseClaimsOfDead(world.db, soon(1), world.now)],
    [
      'what may have held it is gone',
      ({ storeId, sending, waiting }) =>
        transact({ storeId, db: world.db }, (tx) =>
          wakeCartMessages(tx, [sending.cart_id!, waiting.cart_id!], world.now),
        ),
    ],
    [
      'the account’s held messages are woken',
      ({ accountId }) => wakeMessagesOf(world.db, accountId, ['flow_off'], world.now),
    ],
    [
      'another process takes what is due, long after the lease',
      async ({ storeId, sending }) => {
        const claim = {
          claim: createId(),
          workerId: createId(),
          leaseUntil: soon(1),
          now: soon(2 * MINUTE),
          limit: 100,
        }
        const claimed = await deliver.claimDue({ storeId, db: world.db }, claim)
        expect(claimed).toHaveLength(1)
        expect(claimed.map(({ id }) => id)).not.toContain(sending.id)
        await deliver.releaseClaim({ storeId, db: world.db }, claim, { ids: [], wakeAt: world.now }, world.now)
      },
    ],
    [
      'the words of the step change',
      async (scene) => {
        const { name, steps } = (await call(scene, 'GET', '/api/flows')).body.flows[0]
        const body = {
          name,
          steps: buildSavedSteps(steps, ({ step }) => (step === 1 ? { subject: 'Another one' } : {})),
        }
        await call(scene, 'PUT', `/api/flows/${scene.flowId}`, body)
      },
    ],
    [
      'another channel is put first',
      async (scene) => {
        const { name, steps } = (await call(scene, 'GET', '/api/flows')).body.flows[0]
        const pushSteps = steps.map((step: object) => ({ ...step, channels: ['push', 'email'] }))
        await call(scene, 'PUT', `/api/flows/${scene.flowId}`, { name, steps: pushSteps })
      },
    ],
  ])('%s; it goes once', async (_, change) => {
    const after = await sixReminders(change)
    await expectSent(world, after)
    await passTime(world, after.storeId, MINUTE)
    const sent = world.sent.map(({ messageId }) => messageId)
    expect([sent.length, new Set(sent).size]).toEqual([POOL_SIZE + 1, POOL_SIZE + 1])
    expect(sent).toContain(after.waiting.id)
  })
})
