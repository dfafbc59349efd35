import { setTimeout as sleep } from 'node:timers/promises'
import { createId } from '../server/core/common/ids.ts'
import { createToken, hashToken } from '../server/core/common/secrets.ts'
import type { TestStore } from '../test/factories.ts'
import type { Bench, Figure } from './figures.ts'
import {
  type Helper,
  type LoadResult,
  postAll,
  type SinkTally,
  startEmptyShops,
  startProbe,
  startSink,
} from './helpers.ts'
import type { AppInstance, Lab } from './lab.ts'
import { computePercentile } from './measure.ts'
import { startServer } from './server.ts'

// Method: in a started server one store sends emails continuously. Fifty signed-in viewers of another account request
// previews without pause, with the most expensive allowed texts: 50,000 characters each that are slow to parse,
// sanitize, render or return, and invalid ones. Meanwhile a separate process requests /healthz every 20 ms, timed from
// the scheduled start. The ceiling is the same probe under the same sending load just before, without previews.

const VIEWERS = 50
/**
 * Independent of the scale, because sending is bursty and needs a longer measurement. All texts differ, because
 * rejected ones are cached.
 */
const REQUESTS_PER_VIEWER = 12

export const bench: Bench = { name: 'preview', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open({ poolSize: 4 })
  const [sink, shops, probe] = await Promise.all([startSink(), startEmptyShops(), startProbe()])
  try {
    const mailing = await instance.store({ url: `http://127.0.0.1:${shops.port}/mailing` })
    const looking = await instance.store({ url: `http://127.0.0.1:${shops.port}/looking` })
    const tokens = await signIn(instance, looking)
    const mails = lab.sized(100_000)
    await instance.carts(mailing, { count: mails, ready: mails })
    const env = { DATABASE_URL: instance.url, SMTP_URL: `smtp://127.0.0.1:${sink.port}` }
    const server = await startServer(env)
    try {
      await sleep(5_000)
      const idle = await measureDuring({ sink, probe, url: server.url }, () => sleep(10_000))
      const load = { port: Number(new URL(server.url).port), connections: VIEWERS, perSecond: null }
      const requests = buildRequests(tokens, looking, REQUESTS_PER_VIEWER)
      const busy = await measureDuring({ sink, probe, url: server.url }, () => postAll({ ...load, requests }))
      return buildFigures(idle, busy)
    } finally {
      await server.stop()
    }
  } finally {
    await Promise.all([sink.stop(), shops.stop(), probe.stop()])
    await instance.close()
  }
}

interface Measurement<T> {
  latencies: number[]
  mails: number
  seconds: number
  answer: T
}

interface Surroundings {
  sink: Helper
  probe: Helper
  url: string
}

/** Measures /healthz and the sending rate during `work`. */
async function measureDuring<T>({ sink, probe, url }: Surroundings, work: () => Promise<T>): Promise<Measurement<T>> {
  const before = (await sink.ask<SinkTally>({})).mails
  await probe.ask({ url: `${url}/healthz` })
  const startedAt = performance.now()
  const answer = await work()
  const { latencies } = await probe.ask<{ latencies: number[] }>({})
  const seconds = (performance.now() - startedAt) / 1_000
  return { latencies, answer, seconds, mails: (await sink.ask<SinkTally>({})).mails - before }
}

function buildFigures(idle: Measurement<unknown>, busy: Measurement<LoadResult>): Figure[] {
  const rate = ({ mails, seconds }: Measurement<unknown>) => mails / seconds
  const { answers, latencies } = busy.answer
  const summary = Object.entries(answers).map(([status, count]) => `${count} × ${status}`)
  return [
    {
      name: `/healthz while ${VIEWERS} look at previews, p99`,
      value: computePercentile(busy.latencies, 0.99),
      unit: 'ms',
      ceiling: { name: 'with no previews', value: computePercentile(idle.latencies, 0.99) },
      goal: { below: 100 },
      note: `without: ${formatSpread(idle.latencies)}; with: ${formatSpread(busy.latencies)}`,
    },
    {
      name: 'mails meanwhile',
      value: rate(busy),
      unit: '/s',
      ceiling: { name: 'with no previews', value: rate(idle) },
      goal: { atLeast: 1 },
    },
    {
      name: 'previews answered',
      value: latencies.length / busy.answer.seconds,
      unit: '/s',
      note: `${summary.join(', ')}; p50 ${(computePercentile(latencies, 0.5) / 1_000).toFixed(1)} s`,
    },
  ]
}

const formatSpread = (latencies: readonly number[]): string =>
  `p50 ${computePercentile(latencies, 0.5).toFixed(1)}, p99 ${computePercentile(latencies, 0.99).toFixed(1)}, longest ${Math.max(...latencies).toFixed(1)} ms of ${latencies.length}`

/** Signs in read-only viewers of one account. */
async function signIn(instance: AppInstance, { accountId }: TestStore): Promise<string[]> {
  const now = instance.deps.now()
  const viewers = Array.from({ length: VIEWERS }, (_, n) => ({ id: createId(), token: createToken(), n }))
  await instance.db
    .insertInto('users')
    .values(
      viewers.map(({ id, n }) => ({
        id,
        email: `viewer${n}@viewers.example`,
        name: `Viewer ${n}`,
        password_hash: '-',
        created_at: now,
        email_confirmed_at: now,
      })),
    )
    .execute()
  await instance.db
    .insertInto('members')
    .values(viewers.map(({ id }) => ({ account_id: accountId, user_id: id, role: 'viewer' as const, created_at: now })))
    .execute()
  await instance.db
    .insertInto('sessions')
    .values(
      viewers.map(({ id, token }) => ({
        account_id: accountId,
        id: createId(),
        user_id: id,
        token_hash: hashToken(token),
        created_at: now,
        last_seen_at: now,
        expires_at: new Date(now.getTime() + 86_400_000),
      })),
    )
    .execute()
  return viewers.map(({ token }) => token)
}

const MAX_LENGTH = 50_000
const repeatTo = (piece: string, end = '') =>
  piece.repeat(Math.floor((MAX_LENGTH - 40 - end.length) / piece.length)) + end

/** The most expensive text of each kind of work. */
const WORST_TEXTS: ((n: string) => string)[] = [
  // Slow to parse: outputs, conditions, filters.
  (n) => `${n} ${repeatTo('{{ cart_total }} ').slice(0, 39_900)}`,
  (n) => `${n} ${repeatTo('{% if cart_total %}a{% endif %}').slice(0, 39_990)}`,
  (n) => `${n} ${repeatTo("{{ store_name | append: 'x' | upcase }} ").slice(0, 39_990)}`,
  // Slow to sanitize: tags, links, styles.
  (n) => `${n} ${repeatTo('<b><i>a</i></b>')}`,
  (n) => `${n} ${repeatTo(`<a href="https://a.example/${n}">a</a>`)}`,
  (n) => `${n} ${repeatTo('<p style="color:red;font-weight:bold">a</p>')}`,
  // Slow to render: loops over the items, growing strings.
  (n) => `${n} ${repeatTo('{% for i in cart_items %}{{ i.name | upcase | downcase }}{% endfor %}').slice(0, 39_990)}`,
  (n) => `{% assign a = "${n}aaaaaaaaaaaaaaaa" %}${'{% assign a = a | append: a %}'.repeat(20)}{{ a }}`,
  // Large responses, and plain text.
  (n) => `${n} ${repeatTo('"')}`,
  (n) => `${n} ${repeatTo('a ')}`,
  // Invalid templates.
  (n) => `${n} ${repeatTo('{% if ')}`,
  (n) => `${n} ${repeatTo('<')}`,
]

function buildRequests(tokens: readonly string[], { storeId, flowId }: TestStore, each: number): string[] {
  const rounds = Array.from({ length: each }, (_, round) => round)
  return rounds.flatMap((round) =>
    tokens.map((token, viewer) => {
      const body = WORST_TEXTS[(round * VIEWERS + viewer) % WORST_TEXTS.length]!(`${round}.${viewer}`)
      const isStep = viewer % 2 === 0
      const path = isStep ? `/api/flows/${flowId}/preview` : '/api/messages/preview'
      const what = isStep ? { step: 1 } : { channel: 'email' }
      const text = JSON.stringify({ ...what, cartId: 'sample', subject: 'x', body })
      return [
        `POST ${path}?storeId=${storeId} HTTP/1.1`,
        'host: 127.0.0.1',
        `authorization: Bearer ${token}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(text)}`,
        '',
        text,
      ].join('\r\n')
    }),
  )
}
