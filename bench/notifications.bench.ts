import type { FastifyInstance } from 'fastify'
import { buildApp } from '../server/app.ts'
import type { TestStore } from '../test/factories.ts'
import type { Bench, Figure } from './figures.ts'
import type { AppInstance, Lab } from './lab.ts'
import { signIn } from './list.bench.ts'
import { computePercentile, createSeededRandom } from './measure.ts'

// Method: two stores with a thousand and a million notifications in one database, a fifth about carts and a twentieth
// problems. The real routes, with authentication, are called in-process, alternating between the sizes: lists and
// filters, pages at any reachable depth, the search, the unread count, "Mark all as read", "Clear all" and its undo up
// to a random id. The figures are the 95th percentile at a million; the ceiling is the same at a thousand.

const SIZES = [1_000, 1_000_000]

export const bench: Bench = { name: 'notifications', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open()
  const app = buildApp(instance.deps)
  try {
    const stores: TestAccount[] = []
    for (const size of SIZES) stores.push(await insertNotifications(lab, instance, size))
    await app.ready()
    const figures: Figure[] = []
    for (const [name, ask] of Object.entries(CALLS)) figures.push(await compare({ app, stores, lab }, name, ask))
    return figures
  } finally {
    await app.close()
    await instance.close()
  }
}

interface TestAccount {
  token: string
  size: number
  /** Ids from all depths of the list. */
  ids: string[]
}

async function insertNotifications(lab: Lab, instance: AppInstance, size: number): Promise<TestAccount> {
  const rows = lab.sized(size)
  lab.say(`writing ${rows.toLocaleString('en-US')} notifications`)
  const store: TestStore = await instance.store({ url: `https://told-${size}.example.com` })
  await instance.pool.query(
    `insert into notifications (store_id, id, type, data, search, is_problem, created_at)
     select $1, gen_random_uuid(), type, data, data::text, type = 'capture_flood', $2::timestamptz - n * interval '7 seconds'
     from (select n, case when n % 5 = 0 then 'cart_abandoned' when n % 20 = 1 then 'capture_flood' else 'connection_test' end as type,
       jsonb_build_object('customer', 'Ada ' || n, 'itemCount', 1, 'ceiling', n, 'test', true, 'channel', 'store', 'to', 'x') as data
       from generate_series(1, $3::int) n) rows`,
    [store.storeId, instance.deps.now(), rows],
  )
  await instance.pool.query('vacuum analyze notifications')
  const { rows: some } = await instance.pool.query<{ id: string }>(
    'select id from notifications where store_id = $1 order by id limit 400',
    [store.storeId],
  )
  return { token: await signIn(instance, store), size: rows, ids: some.map(({ id }) => id) }
}

type Call = { method: 'GET' | 'POST' | 'DELETE'; rest: string; body?: object }
type BuildCall = (random: number, account: TestAccount) => Call

const get = (rest: string): Call => ({ method: 'GET', rest })
const pickId = ({ ids }: TestAccount, random: number) => ids[Math.floor(random * ids.length)]!

/** Reads come before writes, because reading and clearing shorten the lists. */
const CALLS: Record<string, BuildCall> = {
  'first page': () => get(''),
  'page from anywhere': (random, { size }) => get(`?page=${1 + Math.floor((random * Math.min(size, 10_000)) / 10)}`),
  'unread ones': () => get('?filter=unread'),
  problems: () => get('?filter=problems'),
  'new carts': () => get('/new-cart-notifications'),
  search: (random) => get(`?search=Ada%20${Math.floor(random * 900)}`),
  'unread count': () => get('/unread-count'),
  'mark one read': (random, account) => ({
    method: 'POST',
    rest: '/mark-read',
    body: { notificationIds: [pickId(account, random)] },
  }),
  'mark all read': (random, account) => ({
    method: 'POST',
    rest: '/mark-read',
    body: { upTo: pickId(account, random) },
  }),
  'clear all': (random, account) => ({ method: 'DELETE', rest: '', body: { upTo: pickId(account, random) } }),
}

const P95_MS = 20

async function compare(
  { app, stores, lab }: { app: FastifyInstance; stores: TestAccount[]; lab: Lab },
  name: string,
  ask: BuildCall,
): Promise<Figure> {
  const random = createSeededRandom(11)
  const timings: number[][] = stores.map(() => [])
  const rounds = Math.max(20, Math.round(200 * lab.scale))
  for (let n = -5; n < rounds; n++) {
    for (const [index, account] of stores.entries()) {
      const { method, rest, body } = ask(random(), account)
      const startedAt = performance.now()
      const reply = await app.inject({
        method,
        url: `/api/notifications${rest}`,
        headers: { authorization: `Bearer ${account.token}` },
        ...(body && { payload: body }),
      })
      if (reply.statusCode !== 200) throw new Error(`${reply.statusCode} ${reply.body}`)
      if (n >= 0) timings[index]!.push(performance.now() - startedAt)
    }
  }
  const p95 = timings.map((times) => computePercentile(times, 0.95))
  const each = timings.map((times, index) => `${computePercentile(times, 0.5).toFixed(1)} / ${p95[index]!.toFixed(1)}`)
  return {
    name: `notifications: ${name}`,
    value: p95[1]!,
    unit: 'ms',
    goal: { below: P95_MS },
    ceiling: { name: 'at a thousand', value: p95[0]! },
    note: `p50 / p95 in ms: ${each.join(', ')}`,
  }
}
