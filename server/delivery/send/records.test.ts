import { beforeEach, expect, test } from 'vitest'
import {
  advanceToAbandoned,
  createMessageScene,
  HOUR,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { listDecisions } from '../../../test/send-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { sql } from '../../core/db/db.ts'

// Records of sent mails: one each, and one notification per transaction (decisions 64 and 149).

const world = createWorld()
beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
  world.sent.length = 0
})

async function sent(count: number) {
  const { storeId } = await createMessageScene(world, count)
  await advanceToAbandoned(world, storeId, HOUR)
  await sendDueMessages(world, storeId)
  const mails = (await readMessages(world, storeId)).filter(({ state }) => state === 'sent')
  expect(mails).toHaveLength(count)
  return { storeId, mails }
}

const recordsIn = (storeId: string) =>
  world.db.selectFrom('decisions').selectAll().where('store_id', '=', storeId).execute()

const readNews = async (storeId: string) =>
  (
    await world.db
      .selectFrom('pending_notifications')
      .select('data')
      .where('store_id', '=', storeId)
      .where('type', '=', 'email_sent')
      .execute()
  ).map(({ data }) => data as Record<string, unknown>)

test('an accepted mail has one record with inputs and reply, shown as decision and result', async () => {
  const { storeId, mails } = await sent(3)
  const records = await recordsIn(storeId)
  expect(records.map(({ message_id }) => message_id).sort()).toEqual(mails.map(({ id }) => id).sort())
  for (const record of records) {
    expect(record).toMatchObject({ outcome: 'send', reason: 'ok', result: 'accepted', result_at: world.now })
    expect(record.inputs).toMatchObject({ consentRule: expect.any(String) })
    expect(record.result_inputs).toEqual({ response: expect.stringContaining('250') })
    expect(await listDecisions(world, record.message_id)).toEqual(['send ok', 'result accepted'])
  }
})

test('mails accepted together create one notification; a single one names its recipient', async () => {
  const { storeId } = await sent(4)
  const news = await readNews(storeId)
  expect(news.length).toBeLessThan(4)
  expect(news.reduce((sum, data) => sum + ((data.count as number | undefined) ?? 1), 0)).toBe(4)
  for (const data of news.filter(({ count }) => count))
    expect(Object.keys(data).sort()).toEqual(['count', 'isInMailbox', 'since', 'until'])
  const single = await sent(1)
  expect(await readNews(single.storeId)).toEqual([
    {
      cartId: single.mails[0]!.cart_id,
      messageId: single.mails[0]!.id,
      step: 1,
      to: single.mails[0]!.to_address,
      isInMailbox: false,
    },
  ])
})

test('deleting a message deletes its records and links only', async () => {
  const { storeId, mails } = await sent(2)
  const other = await sent(1)
  const rows = async () => {
    const { rows } = await sql<{ what: string; message_id: string }>`
      select 'record' as what, message_id from decisions union all select 'link', message_id from link_tokens`.execute(
      world.db,
    )
    return rows.filter(({ message_id }) => [...mails, ...other.mails].some(({ id }) => id === message_id))
  }
  const before = await rows()
  expect(new Set(before.map(({ what }) => what))).toEqual(new Set(['record', 'link']))
  await world.db.deleteFrom('messages').where('id', '=', mails[0]!.id).execute()
  const isOther = ({ message_id }: { message_id: string }) => message_id !== mails[0]!.id
  expect(await rows()).toEqual(before.filter(isOther))
  await world.db.deleteFrom('flow_steps').where('store_id', '=', storeId).execute()
  await world.db.deleteFrom('stores').where('id', '=', storeId).execute()
  expect((await rows()).map(({ message_id }) => message_id).every((id) => id === other.mails[0]!.id)).toBe(true)
})
