import type { FastifyInstance } from 'fastify'
import { buildApp } from '../server/app.ts'
import { customerSorts } from '../shared/marketing/customers.ts'
import { openCarts, SIZES } from './carts.ts'
import type { Bench, Figure } from './figures.ts'
import type { Lab } from './lab.ts'
import { signIn } from './list.bench.ts'
import { computePercentile, createSeededRandom } from './measure.ts'

// Method: the stores of the carts benchmark with 10,000, 100,000 and a million customers, two in seven registered. The
// real route, with authentication and totals, is called in-process for pages of 50: every column in both directions,
// pages 1 to 10; registered customers and guests; prefix searches by name, email and phone number; searches without
// matches; and pages at any depth. Calls alternate between the sizes. The result is how much slower the largest store
// is than the smallest.

const LIMIT = 50

export const bench: Bench = { name: 'customers', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await openCarts(lab)
  const app = buildApp(instance.deps)
  try {
    await app.ready()
    const tokens = []
    for (const store of instance.stores) tokens.push(await signIn(instance, store))
    const figures: Figure[] = []
    for (const [name, buildQuery] of Object.entries(buildQueries(lab))) {
      figures.push(await compare({ app, tokens, lab }, name, buildQuery))
    }
    return figures
  } finally {
    await app.close()
    await instance.close()
  }
}

/** Builds the query from the call's number, a random number and the number of customers. */
type BuildQuery = (n: number, random: number, size: number) => Record<string, string>

function buildQueries(lab: Lab): Record<string, BuildQuery> {
  const drawPage = (random: number) => String(1 + Math.floor(random * 10))
  const kind = (n: number) => (n % 2 ? 'yes' : 'no')
  const sorts = customerSorts.map((sort): [string, BuildQuery] => [
    `list by ${sort}`,
    (n, random) => ({ sort, order: n % 2 ? 'asc' : 'desc', page: drawPage(random) }),
  ])
  return {
    ...Object.fromEntries(sorts),
    'list of one kind': (n, random) => ({ registered: kind(n), page: drawPage(random) }),
    'list of one kind by name': (n, random) => ({ registered: kind(n), sort: 'name', page: drawPage(random) }),
    'search for a beginning': (n) => ({ search: PREFIXES[n % PREFIXES.length]! }),
    'search within one kind': (n) => ({ search: PREFIXES[n % PREFIXES.length]!, registered: kind(n) }),
    'search for what is nowhere': (n) => ({ search: `zz${n}` }),
    'page from anywhere': (_n, random, size) => ({
      page: String(1 + Math.floor((random * lab.sized(size)) / LIMIT)),
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
  'g',
]

interface QueryTarget {
  app: FastifyInstance
  tokens: string[]
  lab: Lab
}

async function compare({ app, tokens, lab }: QueryTarget, name: string, buildQuery: BuildQuery): Promise<Figure> {
  const random = createSeededRandom(7)
  const timings: number[][] = SIZES.map(() => [])
  const rounds = Math.max(8, Math.round(40 * lab.scale))
  for (let n = -4; n < rounds; n++) {
    for (const [index, size] of SIZES.entries()) {
      const query = { page: '1', limit: String(LIMIT), ...buildQuery(Math.abs(n), random(), size) }
      const startedAt = performance.now()
      const reply = await app.inject({
        url: `/api/stores/customers/recent?${new URLSearchParams(query)}`,
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
    goal: { below: 2 },
    note: `p50 / p95 in ms: ${each.join(', ')}`,
  }
}
