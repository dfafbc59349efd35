import type { FastifyRequest } from 'fastify'
import * as api from '../../shared/restore.ts'
import { type Routes, servePublic } from '../http.ts'
import { languageOf } from '../preferences/rules.ts'
import { openNetworks } from '../visits/networks.ts'
import { type Arrival, followLink, noteOpen, noteWayOut, readWayOut, resubscribe, unsubscribe } from './track.ts'

// Links of messages. GETs never unsubscribe and never attribute on their own (C3, A1).

export const messageRoutes: Routes = (app, deps) => {
  app.get<{ Params: { token: string } }>('/c/:token', async (request, reply) => {
    const target = await followLink(deps, request.params.token, visitOf(request))
    reply.header('referrer-policy', 'no-referrer').header('cache-control', 'no-store')
    return reply.redirect(target ?? `${deps.config.publicUrl}/cart/recover?cart_id=unknown`, 302)
  })

  app.get<{ Params: { token: string } }>('/u/:token', async (request, reply) => {
    reply.header('referrer-policy', 'no-referrer').header('cache-control', 'no-store')
    return reply.redirect(`/unsubscribe?token=${encodeURIComponent(request.params.token)}`, 302)
  })

  // RFC 8058: a POST without cookie or login, body `List-Unsubscribe=One-Click`.
  app.post<{ Params: { token: string } }>('/u/:token', async (request, reply) => {
    await unsubscribe(deps, request.params.token, 'one-click')
    return reply.code(200).send({ success: true })
  })

  servePublic(app, deps, api.readUnsubscribe, async ({ params, request }) => {
    const { language, ...about } = await readWayOut(deps, params.token)
    return { ...about, language: language ?? languageOf(request.headers['accept-language']) }
  })

  servePublic(app, deps, api.confirmUnsubscribe, async ({ params }) => {
    const { storeName } = await unsubscribe(deps, params.token, 'unsubscribe page')
    return { storeName, isUnsubscribed: true as const }
  })

  servePublic(app, deps, api.undoUnsubscribe, async ({ params }) => {
    const { storeName } = await resubscribe(deps, params.token)
    return { storeName, isUnsubscribed: false as const }
  })
}

function visitOf(request: FastifyRequest) {
  const header = (name: string) => String(request.headers[name] ?? '')
  return {
    method: request.method,
    userAgent: header('user-agent'),
    purpose: header('sec-purpose') || header('purpose') || header('x-purpose') || header('x-moz'),
  }
}
