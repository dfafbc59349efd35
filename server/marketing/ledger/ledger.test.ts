import { beforeAll, describe, expect, test } from 'vitest'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { insertConsent } from '../../shoppers/consent/consent-sql.ts'

const world = createWorld()
let store: TestStore
const DAY = 86_400_000

beforeAll(async () => {
  store = await createStore(world)
  await say('ann@shop.example', 'email', 'granted', 'checkout', 5)
  await say('ann@shop.example', 'email', 'withdrawn', 'one-click', 4)
  await say('+12025550143', 'sms', 'granted', 'STOP by SMS', 3)
  await say('bob@shop.example', 'email', 'granted', 'checkout', 2)
})

async function say(
  address: string,
  channel: 'email' | 'sms',
  status: 'granted' | 'withdrawn',
  source: string,
  daysAgo: number,
  storeId = store.storeId,
) {
  const addressHash = world.deps.secrets.addressHash(address)
  const at = new Date(world.now.getTime() - daysAgo * DAY)
  const row = { id: createId(), addressHash, channel, status, source, wording: '=HYPERLINK("x")', at }
  await insertConsent({ storeId, db: world.db }, { ...row, who: `${address[0]}•••` })
}

const ask = (query: string, token = store.token) => world.request('GET', `/api/consent/ledger?${query}`, { token })
const sourcesIn = async (query: string) => {
  const { body } = await ask(query)
  return body.entries.map((entry: { source: string }) => entry.source)
}

describe('the search', () => {
  test('lists entries newest first and masked', async () => {
    const { body } = await ask('')
    expect(body.entries.map(({ who, source }: { who: string; source: string }) => `${who} ${source}`)).toEqual([
      'b••• checkout',
      '+••• STOP by SMS',
      'a••• one-click',
      'a••• checkout',
    ])
    expect(body.sources).toEqual(['STOP by SMS', 'checkout', 'one-click'])
    expect(JSON.stringify(body)).not.toContain('shop.example')
  })

  test('finds a person by an address in any spelling and shows it', async () => {
    const { body } = await ask(`address=${encodeURIComponent(' ANN@Shop.example')}`)
    expect(body.entries.map((entry: { who: string }) => entry.who)).toEqual(['ann@shop.example', 'ann@shop.example'])
    expect(await sourcesIn(`address=${encodeURIComponent('(202) 555-0143')}`)).toEqual(['STOP by SMS'])
  })

  test('asks for the whole address when it gets a part of one', async () => {
    expect(await ask('address=ann')).toMatchObject({ status: 400 })
  })

  test.each([
    ['channel=email', ['checkout', 'one-click', 'checkout']],
    ['status=withdrawn', ['one-click']],
    ['source=checkout', ['checkout', 'checkout']],
    ['source=nowhere', []],
    ['channel=sms&status=granted', ['STOP by SMS']],
    ['channel=email&status=granted&source=checkout', ['checkout', 'checkout']],
    ['from=2026-02-26&to=2026-02-27', ['STOP by SMS', 'one-click']],
    ['channel=email&from=2026-02-26&to=2026-02-27', ['one-click']],
  ])('filters by %s', async (query, sources) => {
    expect(await sourcesIn(query)).toEqual(sources)
  })

  test.each([
    '',
    'channel=email&',
    'address=ann%40shop.example&',
  ])('pages without gaps or duplicates: %s', async (query) => {
    const ids: string[] = []
    let cursor = ''
    for (let n = 0; n < 5; n++) {
      const { body } = await ask(`${query}limit=1${cursor && `&cursor=${cursor}`}`)
      ids.push(...body.entries.map((entry: { id: string }) => entry.id))
      cursor = body.next
      if (!cursor) break
    }
    const all = (await ask(query)).body.entries.map((entry: { id: string }) => entry.id)
    expect(ids).toEqual(all)
  })

  test('answers a page beyond the end', async () => {
    expect((await ask('cursor=zzz')).status).toBe(400)
  })
})

test('exports the list with formulas neutralized, by a link valid for two minutes', async () => {
  const { body } = await world.request('GET', '/api/consent/ledger/export?channel=email', { token: store.token })
  const file = await world.app.inject({ url: body.url })
  expect(file.headers['content-type']).toContain('text/csv')
  const lines = file.body.replace('\ufeff', '').trim().split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines[1]).toContain('b•••,')
  expect(lines[1]).toContain('"\'=HYPERLINK(""x"")"')
  expect((await world.app.inject({ url: `${body.url}x` })).statusCode).toBe(404)
  world.advance(121_000)
  expect((await world.app.inject({ url: body.url })).statusCode).toBe(404)
})
