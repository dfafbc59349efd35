import { beforeEach, describe, expect, test } from 'vitest'
import {
  callCampaigns,
  createCampaign,
  formatStoreDate,
  listCampaignStates,
  readCampaign,
  readCampaignMessages,
  runTick,
} from '../../../test/campaign-scene.ts'
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import { insertManyRecipients } from '../../../test/many-recipients.ts'
import { DAY, MINUTE } from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'
import { type MailReport, recordMailReport } from '../../delivery/mail-reports/mail-reports.ts'
import { guardCampaigns } from './guard.ts'
import { findPauseCause } from './rules.ts'
import { runCampaigns } from './runs.ts'

// A running campaign is paused when too many messages bounce or are reported as spam.

const world = createWorld()
let shop: Shop
let id: string

beforeEach(async () => {
  shop = await createShop(world)
  const schedule = { startDate: formatStoreDate(world), timeOfDay: '00:00', frequency: 'daily' }
  id = (await createCampaign(world, shop, { schedule })).id
  await runTick(world, shop)
})

const report = async (ids: readonly string[], kind: MailReport['kind']) => {
  for (const messageId of ids) {
    await recordMailReport(world.deps, { messageId, kind, source: 'dsn', status: null, words: '550 no such user' })
  }
}
const pauses = async () =>
  (await readNotifications(world, shop.storeId)).filter(({ type }) => type === 'campaign_paused')
/** Reads the database: the owner's session may have expired. */
const readStatus = async () => {
  const campaigns = world.db.selectFrom('campaigns').select(['status', 'paused_by'])
  const { status, paused_by } = await campaigns.where('id', '=', id).executeTakeFirstOrThrow()
  return [status, paused_by]
}

test.each([
  [{ accepted: 199, bounced: 199, complained: 199 }, null],
  [{ accepted: 200, bounced: 10, complained: 0 }, null],
  [{ accepted: 200, bounced: 11, complained: 0 }, 'bounces'],
  [{ accepted: 200, bounced: 9, complained: 2 }, null],
  [{ accepted: 200, bounced: 0, complained: 3 }, 'complaints'],
  [{ accepted: 1_000, bounced: 50, complained: 3 }, null],
  [{ accepted: 1_000, bounced: 51, complained: 0 }, 'bounces'],
  [{ accepted: 1_000, bounced: 0, complained: 4 }, 'complaints'],
] as const)('of %o', (found, cause) => expect(findPauseCause(found)).toBe(cause))

test('the guard pauses the campaign once above 5 % bounces and notifies the owner once', async () => {
  const ids = await insertManyRecipients(world, shop, id, { count: 209 })
  await report(ids.slice(0, 10), 'hard')
  await guardCampaigns(world.deps)
  expect(await readStatus()).toEqual(['active', null])
  await report(ids.slice(10, 11), 'refused')
  await Promise.all([guardCampaigns(world.deps), guardCampaigns(world.deps)])
  expect(await readStatus()).toEqual(['paused', 'bounces'])
  await guardCampaigns(world.deps)
  expect(await pauses()).toMatchObject([
    {
      title: 'The campaign “Spring” was paused',
      message: expect.stringContaining('11 of its 210 messages bounced, which is more than 5%.'),
    },
  ])
})

test('the guard keeps open messages; after a resume, earlier bounces do not count again', async () => {
  const ids = await insertManyRecipients(world, shop, id, { count: 209 })
  const [waiting] = await insertManyRecipients(world, shop, id, { count: 1, state: 'scheduled' })
  await report(ids.slice(0, 3), 'complaint')
  await guardCampaigns(world.deps)
  expect(await readStatus()).toEqual(['paused', 'complaints'])
  expect((await pauses())[0]!.message).toContain('3 of its 210 messages were reported as spam')
  expect((await readCampaignMessages(world, id)).find((row) => row.id === waiting)!.state).toBe('scheduled')
  world.advance(MINUTE)
  expect((await callCampaigns(world, shop, 'PATCH', `/${id}/play`)).status).toBe(200)
  await report(ids.slice(3, 30), 'hard')
  await guardCampaigns(world.deps)
  expect(await readStatus()).toEqual(['scheduled', null])
  const later = await insertManyRecipients(world, shop, id, { count: 200 })
  await report(later.slice(0, 11), 'hard')
  await guardCampaigns(world.deps)
  expect(await readStatus()).toEqual(['paused', 'bounces'])
  expect(await pauses()).toHaveLength(2)
  expect(await listCampaignStates(world, id)).toContain('1 scheduled')
})

describe('with small runs', () => {
  /** Runs the campaign again, with `count` recipients of whom `bounced` bounce. */
  const createRun = async (count: number, bounced: number) => {
    world.advance(DAY)
    await runCampaigns(world.deps)
    await report((await insertManyRecipients(world, shop, id, { count })).slice(0, bounced), 'hard')
    await guardCampaigns(world.deps)
    return readStatus()
  }

  test('counts the newest runs together until they have 200 messages', async () => {
    expect(await createRun(150, 9)).toEqual(['active', null])
    expect(await createRun(150, 6)).toEqual(['active', null])
    expect(await createRun(150, 10)).toEqual(['paused', 'bounces'])
    expect((await pauses())[0]!.message).toContain('16 of its 300 messages bounced')
  })

  test('ignores bounces of older runs', async () => {
    expect(await createRun(150, 60)).toEqual(['active', null])
    expect(await createRun(1_300, 0)).toEqual(['active', null])
    expect(await createRun(150, 14)).toEqual(['active', null])
  })

  test('ignores runs older than 30 days', async () => {
    expect(await createRun(150, 30)).toEqual(['active', null])
    world.advance(31 * DAY)
    expect(await createRun(150, 2)).toEqual(['active', null])
  })
})

test.each([
  ['a large run that was sent again', 300],
  ['a few that were tried again', 5],
])('%s keeps watching the run that is still sending', async (_, count) => {
  const ids = await insertManyRecipients(world, shop, id, { count: 249 })
  await insertManyRecipients(world, shop, id, { count: 1, state: 'scheduled' })
  expect((await callCampaigns(world, shop, 'POST', `/${id}/send-now`)).status).toBe(200)
  await insertManyRecipients(world, shop, id, { count })
  await guardCampaigns(world.deps)
  expect(await readStatus()).toEqual(['active', null])
  await report(ids.slice(0, 30), 'hard')
  await guardCampaigns(world.deps)
  expect(await readStatus()).toEqual(['paused', 'bounces'])
})

test('the guard ignores an ended campaign and campaigns of other stores', async () => {
  const other = await createShop(world)
  const { id: over } = await createCampaign(world, other)
  await runTick(world, other)
  expect((await readCampaign(world, other, over)).status).toBe('completed')
  await report((await insertManyRecipients(world, other, over, { count: 200 })).slice(0, 50), 'hard')
  await guardCampaigns(world.deps)
  expect((await readCampaign(world, other, over)).status).toBe('completed')
  expect(await readStatus()).toEqual(['active', null])
})
