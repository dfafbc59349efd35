import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { hasPermission } from '../../../shared/access/roles.ts'
import type { Endpoint } from '../../../shared/core/endpoint.ts'
import { pushTexts } from '../../../shared/delivery/push.ts'
import * as api from '../../../shared/delivery/push-calls.ts'
import { type Routes, servePublic, serveStore } from '../../access/http/public.ts'
import { hashClient } from '../../carts/capture/public.ts'
import { AppError } from '../../core/common/public.ts'
import { ensureKey, findCurrentKey } from '../../delivery/push/public.ts'
import type { Deps } from '../../deps.ts'
import { savePushSettings } from '../../marketing/flows/public.ts'
import { idempotentRequest } from '../../marketing/manual-sends/public.ts'
import { recordEvent } from './events.ts'
import { sendToAll, sendToOne } from './sends.ts'
import { readSetup, readStats, savePrompt } from './setup.ts'
import { autoSetup, endSubscription, moveSubscription, storeSubscription, type Visitor } from './widget.ts'

// Web push endpoints for owners and for pages of shops. Each is served at both of its addresses (decision 20).

export const pushRoutes: Routes = (app, deps) => {
  ownerRoutes(app, deps)
  pageRoutes(app, deps)
}

const listBothPaths = <E extends Endpoint>(call: E): E[] => [call, api.removeApiPrefix(call)]

function ownerRoutes(app: FastifyInstance, deps: Deps): void {
  for (const call of listBothPaths(api.generateVapidKeys))
    serveStore(app, deps, call, async ({ store, session, body: { replace } }) => {
      if (replace && !hasPermission(session.role, 'flows:switch'))
        throw new AppError('forbidden', pushTexts.leadersOnly)
      const { publicKey, subscriptions } = await ensureKey(deps, store, replace)
      return { success: true, vapidKeys: { publicKey }, subscriptions }
    })
  for (const call of listBothPaths(api.readVapidKey))
    serveStore(app, deps, call, async ({ store }) => {
      const key = await findCurrentKey(store)
      return { success: true, publicKey: key?.public_key ?? null }
    })
  for (const call of listBothPaths(api.savePushSettings))
    serveStore(app, deps, call, async ({ store, body: { settings } }) => {
      await savePushSettings(deps, store, settings)
      return { success: true, settings }
    })
  for (const call of listBothPaths(api.savePushPrompt))
    serveStore(app, deps, call, async ({ store, body: { prompt } }) => {
      await savePrompt(deps, store, prompt)
      return { success: true, prompt }
    })
  for (const call of listBothPaths(api.pushStoreStats)) serveStore(app, deps, call, ({ store }) => readStats(store))
  for (const call of listBothPaths(api.sendStoreNotification))
    serveStore(app, deps, call, (request) => {
      const { session, account, store, body } = request
      return sendToAll({ deps, session, account, store }, idempotentRequest(request).key, body)
    })
  for (const call of listBothPaths(api.sendToThisBrowser))
    serveStore(app, deps, call, ({ store, account, session, body }) =>
      sendToOne({ deps, session, account, store }, body),
    )
  for (const call of listBothPaths(api.readPushSetup)) serveStore(app, deps, call, ({ store }) => readSetup(store))
}

/**
 * Limits one client's requests in ten minutes; every page of a shop sends one. In memory: it only protects the
 * database.
 */
const POSTS = { points: 300, duration: 600 }

/** The requesting page may read the answers, which contain only public data of the shop. */
function pageRoutes(app: FastifyInstance, deps: Deps): void {
  const limiter = new RateLimiterMemory(POSTS)
  const arrive = async (request: FastifyRequest, reply: FastifyReply): Promise<Visitor> => {
    const { origin } = request.headers
    if (origin) reply.header('access-control-allow-origin', origin).header('vary', 'Origin')
    await limiter.consume(hashClient(deps, request.ip)).catch(refuse)
    return { origin, ip: request.ip, userAgent: request.headers['user-agent'] }
  }
  for (const call of listBothPaths(api.pushAutoSetup))
    servePublic(app, deps, call, async ({ body, request, reply }) =>
      autoSetup(deps, body, await arrive(request, reply)),
    )
  for (const call of listBothPaths(api.pushSubscribe))
    servePublic(app, deps, call, async ({ body, request, reply }) =>
      storeSubscription(deps, body, await arrive(request, reply)),
    )
  for (const call of listBothPaths(api.pushResubscribe))
    servePublic(app, deps, call, async ({ body, request, reply }) =>
      moveSubscription(deps, body, await arrive(request, reply)),
    )
  for (const call of listBothPaths(api.pushUnsubscribe))
    servePublic(app, deps, call, async ({ body, request, reply }) =>
      endSubscription(deps, body, await arrive(request, reply)),
    )
  for (const call of listBothPaths(api.pushEvent))
    servePublic(app, deps, call, async ({ body, request, reply }) => {
      await arrive(request, reply)
      await recordEvent(deps, body)
      return { success: true }
    })
  servePreflights(app)
}

function refuse(refusal: unknown): never {
  if (!(refusal instanceof RateLimiterRes)) throw refusal
  throw new AppError('rate_limited', 'Too many requests.', { retryAfterS: Math.ceil(refusal.msBeforeNext / 1_000) })
}

/** For pages that post as JSON; posts as text need no preflight. */
function servePreflights(app: FastifyInstance): void {
  const calls = [api.pushAutoSetup, api.pushSubscribe, api.pushResubscribe, api.pushUnsubscribe, api.pushEvent]
  for (const { path } of calls.flatMap((call) => listBothPaths(call as unknown as Endpoint)))
    app.options(path, async (request, reply) =>
      reply
        .header('access-control-allow-origin', request.headers.origin ?? 'null')
        .header('access-control-allow-methods', 'POST')
        .header('access-control-allow-headers', 'content-type')
        .header('access-control-max-age', '86400')
        .header('vary', 'Origin')
        .code(204)
        .send(),
    )
}
