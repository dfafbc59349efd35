import type { FastifyInstance } from 'fastify'
import { buildApp } from '../server/app.ts'
import { createId } from '../server/core/common/ids.ts'
import { createToken, hashToken } from '../server/core/common/secrets.ts'
import { sortColumns } from '../shared/carts/carts.ts'
import { openCarts, SIZES } from './carts.ts'
import type { Bench, Figure } from './figures.ts'
import type { AppInstance, Lab } from './lab.ts'
import { computePercentile, createSeededRandom } from './measure.ts'

// Method: stores of 10,000, 100,000 and a million carts in one database. The real route, with authentication and
// totals, is called in-process for pages of 25: every sortable column in both directions, pages 1 to 10; each badge;
// prefix searches of 2 to 8 characters by name, email and phone number; carts reachable by email among the newest
// 5,000; and pages at any depth. Calls alternate between the sizes. The result is how much slower the largest store is
// than the smallest.

const LIMIT = 25
const BADGES = ['No Action', 'Email Sent', 'No Response', 'Recovered']

export const bench: Bench = { name: 'list', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await openCarts(lab)
  const app = buildApp(instance.deps)
  try {
    await app.ready()
    const tokens = []
    for (const store of instance.stores) tokens.push(await signIn(instance, store))
    const figures: Figure[] = []
    for (const [name, buildQuery] of Object.entries(buildQueries(lab))) {
      figures.push(await compare(app, tokens, name, buildQuery, lab))
    }
    return figures
  } finally {
    await app.close()
    await instance.close()
  }
}

/** Builds the query from the call's number, a random number and the number of carts. */
type BuildQuery = (n: number, random: number, size: number) => Record<string, string>

function buildQueries(lab: Lab): Record<string, BuildQuery> {
  const drawPage = (random: number) => String(1 + Math.floor(random * 10))
  const sorts = sortColumns.map((sort): [string, BuildQuery] => [
    `list by ${sort}`,
    (n, random) => ({ sort, order: n % 2 ? 'asc' : 'desc', page: drawPage(random) }),
  ])
  return {
    ...Object.fromEntries(sorts),
    'list of one badge': (n, random) => ({ status: BADGES[n % BADGES.length]!, page: drawPage(random) }),
    'list of one badge by value': (n) => ({ status: BADGES[n % BADGES.length]!, sort: 'value' }),
    'list of what can be reached': (n) => ({ reach: n % 2 ? 'reachable' : 'no_contact', page: '1' }),
    'search for a beginning': (n) => ({ search: PREFIXES[n % PREFIXES.length]! }),
    'search and badge': (n) => ({ search: PREFIXES[n % PREFIXES.length]!, status: BADGES[n % BADGES.length]! }),
    'page from anywhere': (_n, random, size) => ({
      page: String(1 + Math.floor((random * 0.88 * lab.sized(size)) / LIMIT)),
    }),
  }
}

const PREFIXES = [
  'ad',
  'grace',
  'whitfield',
  'lo',
  'hopper',
  'lovelace',
  'ada.love',
  'alan.tur',
  '+1212',
  '+121200',
  'zz',
  'g',
]

async function compare(
  app: FastifyInstance,
  tokens: string[],
  name: string,
  buildQuery: BuildQuery,
  lab: Lab,
): Promise<Figure> {
  const random = createSeededRandom(7)
  const timings: number[][] = SIZES.map(() => [])
  const rounds = Math.max(8, Math.round(40 * lab.scale))
  for (let n = -4; n < rounds; n++) {
    for (const [index, size] of SIZES.entries()) {
      const query = new URLSearchParams({ limit: String(LIMIT), ...buildQuery(Math.abs(n), random(), size) })
      const startedAt = performance.now()
      const reply = await app.inject({
        url: `/api/carts/abandoned?${query}`,
        headers: { authorization: `Bearer ${tokens[index]}` },
      })
      if (reply.statusCode !== 200) throw new Error(`${reply.statusCode} ${reply.body}`)
      if (n >= 0) timings[index]!.push(performance.now() - startedAt)
    }
  }
  const p = (index: number, share: number) => computePercentile(timings[index]!, share)
  const each = SIZES.map((_, index) => `${p(index, 0.5).toFixed(1)} / ${p(index, 0.95).toFixed(1)}`)
  return {
    name,
    value: p(2, 0.95) / p(0, 0.95),
    unit: '×',
    goal: { below: name.includes('search') ? 3 : 2 },
    note: `p50 / p95 in ms: ${each.join(', ')}`,
  }
}

/** Creates a session of the store's owner and returns its token. */
export async function signIn(
  instance: AppInstance,
  { accountId, storeId }: { accountId: string; storeId: string },
): Promise<string> {
  const token = createToken()
  const now = instance.deps.now()
  const member = await instance.db
    .selectFrom('members')
    .select('user_id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  await instance.db
    .insertInto('sessions')
    .values({
      account_id: accountId,
      id: createId(),
      user_id: member.user_id,
      store_id: storeId,
      token_hash: hashToken(token),
      created_at: now,
      last_seen_at: now,
      expires_at: new Date(now.getTime() + 86_400_000),
    })
    .execute()
  return token
}
