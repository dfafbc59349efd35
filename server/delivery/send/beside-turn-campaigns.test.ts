import { beforeEach, describe, expect, test } from 'vitest'
import {
  buildCampaignInput,
  callCampaigns,
  contentWithoutCart,
  createDueCampaign,
  formatStoreDate,
  listCampaignStates,
  runTick,
} from '../../../test/campaign-scene.ts'
import { createCouponShop } from '../../../test/discount-scene.ts'
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import { DAY, MINUTE } from '../../../test/message-scene.ts'
import {
  changeDuringFlight,
  expectClosedUnsent,
  expectSent,
  type PairScene,
  POOL_SIZE,
  readStoredMessage,
} from '../../../test/send-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { recordFacts } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { transact } from '../../core/db/db.ts'
import { mergeCartMessages, wakeMessagesToAddresses } from '../../messages/messages/messages.ts'

// Events that stop or move a campaign's open messages during the turn of its mails (D5, D10), also messages without a
// cart.

const world = createWorld()
beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
  world.sent.length = 0
})

interface Campaign extends Shop {
  campaignId: string
}
type Change = (of: PairScene<Campaign>) => Promise<unknown>

const chosen = (emails: readonly (string | null)[]) => ({
  targetAudience: { mode: 'selected', customerEmails: emails },
})
const getEmails = ({ orders }: Pick<Shop, 'orders'>) => orders.map(({ email }) => email)

async function createCartCampaign(body: (shop: Shop) => object = () => ({})): Promise<Campaign> {
  const shop = await createShop(world, POOL_SIZE + 1)
  return createDueCampaign(world, shop, body(shop))
}

/** To shoppers without a cart. */
async function createBuyerCampaign(): Promise<Campaign> {
  const { buyerOrders, ...shop } = await createCouponShop(world, { carts: 0, buyers: POOL_SIZE + 1 })
  const people = { ...shop, orders: buyerOrders }
  const targetAudience = { type: 'specific_customers', mode: 'selected', customerEmails: getEmails(people) }
  return createDueCampaign(world, people, { targetAudience, content: contentWithoutCart })
}

const save = async (scene: Campaign, body: object) => {
  const reply = await callCampaigns(world, scene, 'PUT', `/${scene.campaignId}`, body)
  expect([reply.status, reply.body.error]).toEqual([200, undefined])
}
/** And what of it is done a moment later. */
const followed = async (step: Promise<unknown>) => {
  await step
  await world.runJobs()
}

describe('a prepared campaign message is closed and one in flight continues when', () => {
  test.each<[string, string, Change]>([
    [
      'the campaign is cancelled',
      'cancelled(campaign_cancelled)',
      (scene) => followed(save(scene, { status: 'cancelled' })),
    ],
    [
      'the campaign is deleted',
      'cancelled(campaign_deleted)',
      (scene) => followed(callCampaigns(world, scene, 'DELETE', `/${scene.campaignId}`)),
    ],
    [
      'both are taken out of the campaign',
      'cancelled(campaign_left_out)',
      ({ theirs, ...scene }) => {
        const removed = getEmails({ orders: theirs })
        return save(
          scene,
          buildCampaignInput(world, chosen(getEmails(scene).filter((email) => !removed.includes(email)))),
        )
      },
    ],
  ])('%s', async (_, end, change) => {
    const after = await changeDuringFlight(world, await createCartCampaign((shop) => chosen(getEmails(shop))), change)
    await expectClosedUnsent(world, after, end)
    await expectSent(world, after)
    await runTick(world, after, MINUTE)
    expect(world.sent).toHaveLength(POOL_SIZE)
  })

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

  test('two shoppers without a cart are merged: they get one mail of the campaign (D1)', async () => {
    const after = await changeDuringFlight(world, await createBuyerCampaign(), ({ storeId, theirs }) =>
      typed(storeId, getEmails({ orders: theirs })),
    )
    expect([after.sending.cart_id, after.waiting.cart_id]).toEqual([null, null])
    await expectClosedUnsent(world, after, 'cancelled(merged)')
    await expectSent(world, after)
    await runTick(world, after, MINUTE)
    expect(world.sent).toHaveLength(POOL_SIZE)
  })

  /** Its message about the cart of the one in flight is another run's, as if that run had begun before. */
  const ofAnotherRun = (id: string) =>
    world.db.updateTable('messages').set({ step_id: createId() }).where('id', '=', id).execute()

  test('the cart of another run is joined to its cart: the campaign sends about a cart once', async () => {
    const after = await changeDuringFlight(world, await createCartCampaign(), async ({ storeId, sending, waiting }) => {
      await ofAnotherRun(sending.id)
      await transact({ storeId, db: world.db }, (tx) =>
        mergeCartMessages(tx, sending.cart_id!, waiting.cart_id!, world.now),
      )
    })
    await expectClosedUnsent(world, after, 'skipped(merged)')
    await expectSent(world, after)
  })
})

describe('a prepared campaign message is released and one in flight stays unchanged when', () => {
  test('the campaign is postponed: unsent messages get the new time', async () => {
    const after = await changeDuringFlight(world, await createCartCampaign(), (scene) => {
      const delayed = { schedule: { startDate: formatStoreDate(world), timeOfDay: '00:00', delay: 72 } }
      return followed(save(scene, buildCampaignInput(world, delayed)))
    })
    const { state, claim, due_at } = await readStoredMessage(world, after.waiting.id)
    expect([state, claim, due_at > world.now]).toEqual(['scheduled', null, true])
    expect(world.sent).toHaveLength(POOL_SIZE)
    await expectSent(world, after)
    await runTick(world, after, 3 * DAY)
    expect(new Set(world.sent.map(({ messageId }) => messageId)).size).toBe(POOL_SIZE + 1)
  })

  test('the campaign is paused: nothing is sent until it is resumed', async () => {
    const after = await changeDuringFlight(world, await createCartCampaign(), (scene) =>
      callCampaigns(world, scene, 'PATCH', `/${scene.campaignId}/pause`),
    )
    await expectSent(world, after)
    await runTick(world, after, MINUTE)
    expect(world.sent).toHaveLength(POOL_SIZE)
    expect((await readStoredMessage(world, after.waiting.id)).reason).toBe('campaign_paused')
    await callCampaigns(world, after, 'PATCH', `/${after.campaignId}/play`)
    await runTick(world, after, MINUTE)
    expect(world.sent).toHaveLength(POOL_SIZE + 1)
  })

  test('its held messages are dropped: neither of these is affected, and it is sent once', async () => {
    const after = await changeDuringFlight(world, await createCartCampaign(), async (scene) => {
      const reply = await callCampaigns(world, scene, 'POST', `/${scene.campaignId}/drop-held`)
      expect([reply.status, reply.body.dropped]).toEqual([200, 0])
    })
    await expectSent(world, after)
    expect(await listCampaignStates(world, after.campaignId)).toEqual(Array(POOL_SIZE + 1).fill('1 sent'))
    expect(new Set(world.sent.map(({ messageId }) => messageId)).size).toBe(POOL_SIZE + 1)
  })

  test('both shoppers, who have no cart, are woken: it is sent once', async () => {
    const after = await changeDuringFlight(world, await createBuyerCampaign(), async ({ storeId, theirs, waiting }) => {
      const addresses = theirs.map(({ email }) => email!)
      await transact({ storeId, db: world.db }, (tx) => wakeMessagesToAddresses(tx, addresses, world.now))
      expect((await readStoredMessage(world, waiting.id)).claim).toBe(null)
    })
    await expectSent(world, after)
    await runTick(world, after, MINUTE)
    expect(new Set(world.sent.map(({ messageId }) => messageId)).size).toBe(POOL_SIZE + 1)
  })
})
