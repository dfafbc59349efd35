import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { authenticate, type Session } from '../members/session.ts'
import {
  accountDownload,
  csvFile,
  type Download,
  openDownload,
  prepareDownload,
  readPages,
  storeDownload,
} from './downloads.ts'

// Common to all downloads: a link valid for two minutes without a session, and a CSV file streamed while it is read.

const world = createWorld()
let store: TestStore
let session: Session
const limit = { name: 'test-download', points: 100, windowS: 3_600 }
const What = z.object({ word: z.string() })

const ofStore = storeDownload({
  name: 'test-store',
  path: '/api/test-store',
  permission: 'carts:read',
  limit,
  what: What,
  read: async (_deps, { storeId }, { word }) => ({ fileName: 'a', type: 'text/plain', content: `${storeId} ${word}` }),
})
const ofAccount = accountDownload({
  name: 'test-account',
  path: '/api/test-account',
  permission: 'account:export',
  limit,
  what: What,
  read: async (_deps, { accountId }, { word }) => ({
    fileName: 'a',
    type: 'text/plain',
    content: `${accountId} ${word}`,
  }),
})

beforeAll(async () => {
  store = await createStore(world)
  session = (await authenticate(world.deps, `Bearer ${store.token}`, true))!
})

const ticketFor = async (download: Download<z.output<typeof What>>, storeId: string | null) => {
  const { url } = await prepareDownload(world.deps, download, { session, storeId, what: { word: 'tea' } })
  return url.split('?ticket=')[1]!
}
const open = (download: Download<z.output<typeof What>>, ticket: string) =>
  openDownload(world.deps, download, ticket).then(
    ({ content }) => content,
    (error) => error.code,
  )

test('a link opens its own download of its own store or account', async () => {
  expect(await open(ofStore, await ticketFor(ofStore, store.storeId))).toBe(`${store.storeId} tea`)
  expect(await open(ofAccount, await ticketFor(ofAccount, null))).toBe(`${store.accountId} tea`)
})

test('a link opens no other download and no other store', async () => {
  expect(await open(ofAccount, await ticketFor(ofStore, store.storeId))).toBe('not_found')
  const other = await createStore(world)
  expect(await open(ofStore, await ticketFor(ofStore, other.storeId))).toBe('not_found')
  expect(await open(ofStore, await ticketFor(ofStore, null))).toBe('not_found')
})

test('a link that was altered or re-encoded is invalid', async () => {
  const ticket = await ticketFor(ofStore, store.storeId)
  const others = [
    ticket.slice(0, -1),
    `${ticket}A`,
    `${ticket}=`,
    ` ${ticket}`,
    `${ticket.slice(0, 40)}.${ticket.slice(41)}`,
  ]
  for (const changed of [...others, '', '....', 'é'])
    expect([changed, await open(ofStore, changed)]).toEqual([changed, 'not_found'])
})

test('a link expires after two minutes and when its member loses the role', async () => {
  const ticket = await ticketFor(ofAccount, null)
  const members = world.db.updateTable('members').where('user_id', '=', store.userId)
  await members.set({ role: 'member' }).execute()
  expect(await open(ofAccount, ticket)).toBe('not_found')
  await members.set({ role: 'owner' }).execute()
  expect(await open(ofAccount, ticket)).toBe(`${store.accountId} tea`)
  world.advance(120_000)
  expect(await open(ofAccount, ticket)).toBe('not_found')
})

test('links are rate limited', async () => {
  const few = { ...ofAccount, limit: { ...limit, name: 'test-few', points: 1 } }
  await ticketFor(few, null)
  await expect(ticketFor(few, null)).rejects.toMatchObject({ code: 'rate_limited' })
})

test('a CSV file has a heading, every row of every page, and no formula cell (X3)', async () => {
  const rows = Array.from({ length: 2_001 }, (_, n) => n)
  const requests: unknown[] = []
  const pages = readPages<number>(async ({ after, limit }) => {
    requests.push([after, limit])
    return rows.slice(after === null ? 0 : after + 1).slice(0, limit)
  })
  const file = csvFile<number, { n: number; words: string }>(world.deps, 'numbers', {
    columns: [
      ['Number', ({ n }) => n],
      ['Words', ({ words }) => words],
    ],
    pages,
    show: (n) => ({ n, words: `=${n}` }),
  })
  expect(file).toMatchObject({
    fileName: expect.stringMatching(/^numbers-\d{4}-\d\d-\d\d\.csv$/),
    type: 'text/csv; charset=utf-8',
  })
  let text = ''
  for await (const part of file.content) text += part
  const lines = text.trimEnd().split('\r\n')
  expect([lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([
    2_002,
    '\ufeffNumber,Words',
    "0,'=0",
    "2000,'=2000",
  ])
  expect(requests).toEqual([
    [null, 1_000],
    [999, 1_000],
    [1_999, 1_000],
  ])
})
