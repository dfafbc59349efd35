import crypto from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { buildApp } from '../server/app.ts'
import { keepSlot } from '../server/core/common/concurrency.ts'
import { createId } from '../server/core/common/ids.ts'
import { createLogger } from '../server/core/common/logger.ts'
import { createSecrets } from '../server/core/common/secrets.ts'
import { readConfig } from '../server/core/config/config.ts'
import { type Db, openDb, openPool } from '../server/core/db/db.ts'
import type { TextTemplate } from '../server/core/schema/text-channels.ts'
import { beat } from '../server/delivery/send/workers.ts'
import type { Deps } from '../server/deps.ts'
import type {
  EmailChannel,
  Outcome,
  OutgoingEmail,
  OutgoingPush,
  OutgoingText,
  PushAnswer,
  TextChannel,
  TextChannelName,
} from '../server/messages/channels/channel.ts'
import type { Authorized } from '../server/messages/channels/send-authorization.ts'
import type { StoreClient } from '../server/platforms/platform/platform.ts'
import { handlers } from '../server/worker.ts'
import { buildTerms } from './fake-store.ts'
import { cloneDatabase, replaceDatabase, runAsAdmin } from './global.ts'
import { createTestJobs, type QueuedJob, trackCommits } from './queue.ts'

/** A test app: the real app on an empty database of its own. Only providers, stores and the clock are fake. */
export interface World {
  app: FastifyInstance
  deps: Deps
  db: Db
  pool: pg.Pool
  /** The clock of the whole app. */
  now: Date
  advance(ms: number): Date
  /** Mails that the mail provider received, and its next reply (default: accepted). */
  sent: OutgoingEmail[]
  answer: (mail: OutgoingEmail) => Outcome | Promise<Outcome>
  /** The same for SMS and WhatsApp; `textChannels` says which are configured, and with which template. */
  texts: OutgoingText[]
  answerText: (text: OutgoingText) => Outcome | Promise<Outcome>
  textChannels: { sms: boolean; whatsapp: TextTemplate | null | false }
  /** Whether SMS use the operator's account, and the factor on the price table that credits pay. */
  textCredits: { perMille: number } | null
  /** The same for push services of browsers. */
  pushes: Authorized<OutgoingPush>[]
  answerPush: (push: OutgoingPush) => PushAnswer | Promise<PushAnswer>
  /** Returns the client for a store's address. Tests set fakes here. */
  storeClient: Deps['storeClient']
  queued: QueuedJob[]
  /** Runs queued jobs, and those they queue, until none is due. */
  runJobs(): Promise<void>
  request(
    method: string,
    url: string,
    call?: { token?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Reply>
}

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any reply
  body: any
  headers: Record<string, unknown>
}

export const START = new Date('2026-03-02T15:00:00.000Z')

/** Accepts every mail; the default reply of the mail server. */
export const acceptMail: World['answer'] = (mail) => ({
  kind: 'accepted',
  providerId: `p-${mail.messageId}`,
  response: '250 queued',
})

export function createWorld(env: Record<string, string> = {}): World {
  const world = { now: START, sent: [], texts: [], pushes: [], queued: [] } as unknown as World
  const name = `recoup_test_${crypto.randomBytes(8).toString('hex')}`
  const server = inject('databaseUrl')

  beforeAll(async () => {
    await cloneDatabase(server, name, inject('template'))
    world.pool = openPool({ url: replaceDatabase(server, name), max: 12 })
    world.db = trackCommits(openDb(world.pool), world.queued)
    world.advance = (ms) => {
      world.now = new Date(world.now.getTime() + ms)
      return world.now
    }
    world.answer = acceptMail
    world.answerText = (text) => ({ kind: 'accepted', providerId: `t-${text.messageId}`, response: 'queued' })
    world.textChannels = { sms: true, whatsapp: buildTemplate }
    world.textCredits = null
    world.answerPush = (push) => ({ kind: 'accepted', providerId: `b-${push.messageId}`, response: '201' })
    world.storeClient = createFullStockClient
    world.deps = buildDeps(world, env)
    world.app = buildApp(world.deps)
    await world.app.ready()
    await beat(world.deps)
    world.runJobs = () => runJobs(world)
    world.request = (method, url, call) => request(world, method, url, call)
  })

  afterAll(async () => {
    await world.app?.close()
    await world.pool?.end()
    await runAsAdmin(server, `drop database if exists ${name} with (force)`)
  })
  return world
}

/** For tests without a store: a client that reports all products as available. */
function createFullStockClient(): StoreClient {
  const terms: StoreClient['terms'] = async ({ items }) => buildTerms(items)
  return new Proxy({ terms } as StoreClient, {
    get: (client, name) => {
      if (name !== 'terms' && name !== 'then') throw new Error('this test connects no store')
      return Reflect.get(client, name)
    },
  })
}

function buildDeps(world: World, env: Record<string, string>): Deps {
  const email: EmailChannel = {
    poolSize: 5,
    async send(mail) {
      world.sent.push(mail)
      return world.answer(mail)
    },
    check: async () => ({ isOk: true }),
    close: async () => {},
  }
  return {
    // Tests ask more in a minute than people do.
    config: readConfig({ DEMO: 'off', API_RATE_LIMIT: '1000000', ...env }),
    db: world.db,
    pool: world.pool,
    now: () => world.now,
    log: createLogger(process.env.LOG_LEVEL ?? 'silent'),
    secrets: createSecrets('a secret of the tests, long enough to be one'),
    workerId: createId(),
    jobs: createTestJobs(world.queued),
    channels: {
      email,
      demoEmail: email,
      ownMail: async () => null,
      text: async (_account, channel) => buildTextChannel(world, channel),
      push: {
        poolSize: 5,
        async send(push) {
          world.pushes.push(push)
          return world.answerPush(push)
        },
        close: async () => {},
      },
    },
    storeClient: (...of): StoreClient => world.storeClient(...of),
    demo: null,
  }
}

/** Marketing template, like those for abandoned carts. */
export const buildTemplate: TextTemplate = {
  name: 'cart_reminder',
  language: 'en_US',
  category: 'marketing',
  text: 'Hi {{1}}, your cart at {{2}} is still here: {{3}}',
  variables: ['customer_name', 'store_name', 'checkout_link'],
  buttonUrlPrefix: null,
}

/** One cent per message to any country. */
function buildTextChannel(world: World, channel: TextChannelName): TextChannel | null {
  const configured = world.textChannels[channel]
  if (configured === false) return null
  return {
    poolSize: 5,
    ...(configured === true ? {} : { template: configured }),
    ...(channel === 'sms' && world.textCredits && { carrier: 'operator' as const, credits: world.textCredits }),
    estimate: ({ text }) => ({
      segments: Math.ceil(text.length / 160),
      cost: { amountMicros: 10_000, currency: 'USD' },
    }),
    async send(text) {
      world.texts.push(text)
      return world.answerText(text)
    },
    check: async () => ({ isOk: true }),
    close: async () => {},
  }
}

/** Jobs for later stay queued. */
function takeDue({ queued, now }: World) {
  const place = queued.findIndex(({ startAfter }) => !startAfter || startAfter <= now)
  return place < 0 ? undefined : queued.splice(place, 1)[0]
}

async function runJobs(world: World): Promise<void> {
  for (let job = takeDue(world); job; job = takeDue(world)) {
    const handler = handlers.find((each) => each.job.name === job!.name)
    if (!handler) throw new Error(`no handler for ${job.name}`)
    await handler.run(world.deps, job.payload, keepSlot)
  }
}

async function request(
  world: World,
  method: string,
  url: string,
  call: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const reply = await world.app.inject({
    method: method as 'GET',
    url,
    headers: { ...(call.token ? { authorization: `Bearer ${call.token}` } : {}), ...call.headers },
    ...(call.body === undefined ? {} : { payload: call.body as object }),
  })
  const isJson = String(reply.headers['content-type']).includes('json')
  return { status: reply.statusCode, body: isJson && reply.body ? reply.json() : reply.body, headers: reply.headers }
}
