import { beforeEach, expect, test } from 'vitest'
import { callCampaigns, createCampaign, formatStoreDate, readCampaign, runTick } from '../../../test/campaign-scene.ts'
import { completeOrderCheck } from '../../../test/factories.ts'
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import { advanceToAbandoned, createMessageScene, DAY, HOUR, sendDueMessages } from '../../../test/message-scene.ts'
import {
  changeDuringSend,
  holdReplies,
  POOL_SIZE,
  readStoredMessages,
  type StoredMessage,
} from '../../../test/send-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'

// The counts by state add up at every moment between send and settlement (D6), on every page.

const world = createWorld()
beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
  world.sent.length = 0
})

const MAILS = POOL_SIZE + 3
const none = { waiting: 0, held: 0, inFlight: 0, sent: 0, skipped: 0, failed: 0, unknown: 0, cancelled: 0 }
type Parts = typeof none

const ANSWERS = [
  { kind: 'retry', reason: 'smtp_451', response: '451 later', retryAfterMs: HOUR },
  { kind: 'rejected', reason: 'smtp_554', response: '554 no', isRecipientFault: false },
  { kind: 'unknown', reason: 'timeout', response: 'no answer' },
] as const

const buildScheduleInTwoDays = () => ({
  schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 48 },
})

/** Checks before any reply, while replies wait in their rows to be settled, and after settling. */
async function checkEach(storeId: string, check: (expected: Parts) => Promise<unknown>) {
  const server = holdReplies(world)
  const sending = sendDueMessages(world, storeId)
  try {
    await server.reach(POOL_SIZE)
    await check({ ...none, waiting: MAILS - POOL_SIZE, inFlight: POOL_SIZE })
    server.waiting[0]!.answer()
    for (const [at, outcome] of ANSWERS.slice(0, 2).entries()) server.waiting[at + 1]!.answer(outcome)
    await server.reach(MAILS)
    const hasAnswer = (await readStoredMessages(world, storeId)).filter(({ answer }) => answer !== null)
    expect(hasAnswer).toHaveLength(3)
    await check({ ...none, inFlight: MAILS })
    server.waiting[3]!.answer(ANSWERS[2])
    await expect
      .poll(async () => (await readStoredMessages(world, storeId)).filter(({ answer }) => answer !== null).length)
      .toBe(4)
    await check({ ...none, inFlight: MAILS })
  } finally {
    server.answerAll()
    await sending
  }
  await check({ ...none, sent: MAILS - 3, held: 1, failed: 1, unknown: 1 })
}

test('of a campaign, in its figures and in the report of its run', async () => {
  const shop = await createShop(world, MAILS)
  const { id } = await createCampaign(world, shop, buildScheduleInTwoDays())
  await runTick(world, shop)
  world.advance(2 * DAY)
  await completeOrderCheck(world, shop.storeId)
  await checkEach(shop.storeId, async (expected) => {
    expect((await readCampaign(world, shop, id)).counts).toEqual({ planned: MAILS, ...expected })
    const { runs } = (await callCampaigns(world, shop, 'GET', `/${id}/report`)).body.report
    expect(runs).toMatchObject([{ counts: { planned: MAILS, ...expected } }])
  })
})

test('of a flow, whose later steps wait', async () => {
  const { storeId, flowId, token } = await createMessageScene(world, MAILS)
  await advanceToAbandoned(world, storeId, HOUR)
  const later = 2 * MAILS
  await checkEach(storeId, async (expected) => {
    const { body } = await world.request('GET', '/api/flows', { token })
    const { counts } = body.flows.find((flow: { id: string }) => flow.id === flowId)
    expect(counts).toEqual({ planned: MAILS + later, ...expected, waiting: expected.waiting + later })
  })
})

test('each page of carts shows one message, in a state that the figures count', async () => {
  const shop: Shop = await createShop(world, MAILS)
  await createCampaign(world, shop, buildScheduleInTwoDays())
  await runTick(world, shop)
  world.advance(2 * DAY)
  await completeOrderCheck(world, shop.storeId)
  const PART: Record<string, keyof Parts> = { scheduled: 'waiting', claimed: 'waiting', sending: 'inFlight' }
  await checkEach(shop.storeId, async (expected) => {
    const parts = { ...none }
    for (const cartId of shop.cartIds) {
      const { messages } = (await world.request('GET', `/api/carts/${cartId}/messages`, { token: shop.token })).body
      expect(messages).toHaveLength(1)
      const { state } = messages[0] as { state: keyof Parts }
      parts[PART[state] ?? state]++
    }
    expect(parts).toEqual(expected)
  })
})

test('a prepared message that is not sent is shown without address and content', async () => {
  const { storeId, token } = await createMessageScene(world, MAILS)
  await advanceToAbandoned(world, storeId, HOUR)
  const readState = async ({ id, cart_id: cartId }: StoredMessage) => {
    const { messages } = (await world.request('GET', `/api/carts/${cartId}/messages`, { token })).body
    const { to, subject, html } = messages.find((message: { id: string }) => message.id === id)
    return { to: to !== null, subject: subject !== null, html: html !== null }
  }
  const { waiting } = await changeDuringSend(world, storeId, async (rows) => {
    expect(await readState(rows.sending)).toEqual({ to: true, subject: true, html: true })
    expect(rows.waiting.body_html).not.toBeNull()
    expect(await readState(rows.waiting)).toEqual({ to: false, subject: false, html: false })
  })
  expect(await readState(waiting)).toEqual({ to: true, subject: true, html: true })
})
