import type { IncomingMessage } from 'node:http'
import Stripe from 'stripe'
import { serve } from '../serve.ts'
import { Api, type ApiAnswer, type ApiRequest } from './api.ts'
import { completePurchase, type Purchase } from './buying.ts'
import { advanceClock } from './clock.ts'
import { servePage } from './pages.ts'
import { closeDispute, openDispute } from './refunds.ts'
import { type Kind, type Kinds, type Settings, StripeState } from './state.ts'
import { Webhooks } from './webhooks.ts'

// A server that stands in for Stripe. README.md lists what it supports, and the sources.

export interface StripeOptions extends Partial<Omit<Settings, 'url'>> {
  /** Start time of its clock. */
  now?: Date
  /** Time in webhook signatures, by default the server's: the application refuses old ones, so tests pass its clock. */
  signedAt?: () => Date
}

export interface StripeServer {
  url: string
  /** Arguments for the client: `new Stripe(apiKey, client)`. */
  client: { host: string; port: number; protocol: 'http' }
  apiKey: string
  webhookSecret: string
  /** Stripe's time. `advance` performs everything that Stripe does by itself until then. */
  clock: { now(): Date; advance(to: Date): void }
  /** Pays on the page of a checkout session. Returns `confirm` when the bank asks first. */
  buy(session: string, purchase: Purchase): 'complete' | 'confirm'
  /** The bank opens and decides a dispute. Refunds are made through the API, as a dashboard does. */
  openDispute(charge: string, reason?: string): Stripe.Dispute
  closeDispute(dispute: string, status: 'won' | 'lost'): Stripe.Dispute
  webhooks: Webhooks
  /** Objects of a kind, oldest first. They belong to the server: read only. */
  all<K extends Kind>(kind: K): Kinds[K][]
  /** Calls received. */
  seen: ApiRequest[]
  /**
   * Replies before anything else. `hang`: accepts the request and sends nothing. `cut`: drops the connection. `lose`:
   * handles the request and drops the connection. undefined: handle the request.
   */
  intercept: (request: ApiRequest) => Early | Promise<undefined>
  /** Replies and events that did not match Stripe's declarations. Tests expect none. */
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
  const requests: ApiRequest[] = []
  const server = await serve(async (message, reply) => {
    const request = await readRequest(message)
    requests.push(request)
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
    seen: requests,
    intercept: () => undefined,
    faults: world.faults,
    close: server.close,
  }
  return stripe
}

/** Opens the real client as the application does. */
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
