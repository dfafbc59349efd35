import type { FastifyInstance } from 'fastify'

// Malformed requests, the same in each run, with which tests call every route.

export interface MalformedRequests {
  next(): number
  pick<T>(values: readonly T[]): T
  payload(): { body: string; type: string }
  /** A query string or nothing; `isDoubled`: a name at least twice. */
  query(names: readonly string[], isDoubled: boolean): string
  /** A value for a path parameter. */
  segment(): string
}

const TEXTS = [
  '',
  ' ',
  '\u0000',
  '💥',
  'ä'.repeat(43),
  '../../etc/passwd',
  "' or 1=1 --",
  '{{7*7}}',
  'rt_',
  `rt_${'A'.repeat(43)}`,
  'x'.repeat(5_000),
  'NaN',
  '-1',
  '99999999999999999999',
  '\ud800',
]
const VALUES: unknown[] = [null, true, -1, 1e308, [], {}, [[]], { $gt: '' }, ...TEXTS]
const KEYS = [
  'email',
  'password',
  'name',
  'token',
  'cart',
  'items',
  'page',
  'seq',
  'contact',
  '__proto__',
  'constructor',
]
const TYPES = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'multipart/form-data',
  'x/y',
]
const BROKEN = ['{', '[1,', '"', 'null', 'a=b&c', '\u0000\u0001', '{"a":'.repeat(200)]

export function createMalformedRequests(seed: number): MalformedRequests {
  const next = createRandom(seed)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)]!
  const segment = () => encodeURIComponent(pick(TEXTS).toWellFormed().slice(0, 200)) || '-'
  const value = (depth = 0): unknown => {
    if (depth > 2 || next() < 0.3) return pick(VALUES)
    return Object.fromEntries(Array.from({ length: 1 + Math.floor(next() * 4) }, () => [pick(KEYS), value(depth + 1)]))
  }
  return {
    next,
    pick,
    segment,
    payload() {
      const type = pick(TYPES)
      return { body: next() < 0.2 ? pick(BROKEN) : JSON.stringify(value()), type }
    },
    query(names, isDoubled) {
      if (!isDoubled && next() < 0.7) return ''
      const name = pick([...names, ...KEYS])
      const parts = Array.from({ length: isDoubled ? 2 + Math.floor(next() * 2) : 1 }, () => `${name}=${segment()}`)
      return `?${parts.join('&')}`
    },
  }
}

function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

export interface Route {
  method: string
  path: string
}

/** Reads every route except static files from the router itself, so that new routes are included. */
export function listRoutes(app: FastifyInstance): Route[] {
  const parents: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const found = /^((?:[│ ] {3})*)[├└]── (\S*) \(([A-Z, ]+)\)$/.exec(line)
      if (!found) return []
      const [, indent = '', part = '', methods = ''] = found
      const depth = indent.length / 4
      const path = (depth === 0 ? '' : parents[depth - 1]!) + part
      parents[depth] = depth === 0 ? '/' : path
      return path.startsWith('/assets/') ? [] : methods.split(', ').map((method) => ({ method, path }))
    })
}
