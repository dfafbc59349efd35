import type { IncomingMessage } from 'node:http'
import Stripe from 'stripe'
import { serve } from '../serve.ts'
import { Api, type ApiAnswer, type ApiRequest } from './api.ts'
import { completePurchase, type Purchase } from './buying.ts'
import { advanceClock } from './clock.ts'
import { servePage } from './pages.ts'
import { closeDispute, openDispute } from './refunds.ts'
import { Webhooks } from './webhooks.ts'
import { type Kind, type Kinds, type Settings, StripeState } from './world.ts'

// A server that stands in for Stripe. README.md says what it plays, and on whose word.

export interface StripeOptions extends Partial<Omit<Settings, 'url'>> {
  /** Where its clock begins. */
  now?: Date
  /** The time in the signatures of webhooks: the application's, for it refuses old ones. The server's own clock unless given. */
  signedAt?: () => Date
}

export interface StripeServer {
  url: string
  /** What the client is opened with: `new Stripe(apiKey, client)`. */
  client: { host: string; port: number; protocol: 'http' }
  apiKey: string
  webhookSecret: string
  /** Stripe's time. `advance` does all that Stripe does by itself until then. */
  clock: { now(): Date; advance(to: Date): void }
  /** What a buyer does on the page of a checkout session. `confirm`: the bank asks first. */
  buy(session: string, purchase: Purchase): 'complete' | 'confirm'
  /** The bank takes a payment back, and decides. Refunds are made by the API, as an operator's dashboard does. */
  openDispute(charge: string, reason?: string): Stripe.Dispute
  closeDispute(dispute: string, status: 'won' | 'lost'): Stripe.Dispute
  webhooks: Webhooks
  /** The objects of a kind as Stripe has them, the oldest first. They are the server's own: read only. */
  all<K extends Kind>(kind: K): Kinds[K][]
  /** What was called. */
  seen: ApiRequest[]
  /**
   * Answers before anything else; `hang`: takes the request and says nothing; `cut`: drops the connection; `lose`: does what is asked and
   * drops the connection. undefined: go on.
   */
  intercept: (request: ApiRequest) => Early | Promise<undefined>
  /** Answers and events of the server that were not as Stripe declares them. A test expects none. */
  faults: readonly string[]
  close(): Promise<void>
}

type Early = ApiAnswer | 'hang' | 'cut' | 'lose' | undefined

export async function startStripe(options: StripeOptions = {}): Promise<StripeServer> {
  const settings: Settings = {
    url: '',
    retryDays: options.retryDays ?? [3, 5, 7],
    afterRetries: options.afterRetries ?? 'cancel',
    taxPercent: options.taxPercent ?? 0,
  }
  const world = new StripeState(options.now ?? new Date(), settings)
  const apiKey = 'sk_test_contractserver'
  const webhookSecret = 'whsec_contractserver'
  const api = new Api(world, apiKey)
  const seen: ApiRequest[] = []
  const server = await serve(async (message, reply) => {
    const request = await readRequest(message)
    seen.push(request)
    const early = await stripe.intercept(request)
    if (early === 'hang') return
    if (early === 'lose') api.answer(request)
    if (early === 'lose' || early === 'cut') return message.socket.destroy()
    if (!early && !request.path.startsWith('/v1/')) {
      const { status, html = '', location } = servePage(world, request)
      reply.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...(location && { location }) }).end(html)
      return
    }
    const { status, body, headers } = early ?? api.answer(request)
    reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  settings.url = `http://127.0.0.1:${server.port}`
  const stripe: StripeServer = {
    url: settings.url,
    client: { host: '127.0.0.1', port: server.port, protocol: 'http' },
    apiKey,
    webhookSecret,
    clock: { now: () => new Date(world.now * 1000), advance: (to) => advanceClock(world, to) },
    buy: (session, purchase) => completePurchase(world, session, purchase),
    openDispute: (charge, reason) => openDispute(world, charge, reason),
    closeDispute: (dispute, status) => closeDispute(world, dispute, status),
    webhooks: new Webhooks(world, webhookSecret, options.signedAt ?? (() => new Date(world.now * 1000))),
    all: (kind) => world.all(kind),
    seen,
    intercept: () => undefined,
    faults: world.faults,
    close: server.close,
  }
  return stripe
}

/** The real client, as the application opens it. */
export const openClient = ({ apiKey, client }: StripeServer) =>
  new Stripe(apiKey, { ...client, maxNetworkRetries: 0, telemetry: false })

async function readRequest(message: IncomingMessage): Promise<ApiRequest> {
  let body = ''
  for await (const chunk of message) body += chunk
  const url = new URL(message.url!, 'http://stripe')
  return {
    method: message.method!,
    path: url.pathname,
    query: url.search.slice(1),
    headers: message.headers as Record<string, string>,
    body,
  }
}
