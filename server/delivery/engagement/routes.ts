import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Routes } from '../../access/http/public.ts'
import { type Arrival, noteUnsubscribeLink, recordClick, recordOpen } from './follow.ts'
import { openNetworks } from './networks.ts'

// Routes of message links and the tracking pixel. GETs never unsubscribe, and machine visits never attribute (C3, A1).

type ByToken = { Params: { token: string }; Querystring: { to?: unknown } }

/** One transparent pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

export const engagementRoutes: Routes = (app, deps) => {
  const networkOf = openNetworks(deps.config.dataCentresFile)
  const getArrival = (request: FastifyRequest): Arrival => {
    const header = (name: string) => String(request.headers[name] ?? '')
    return {
      method: request.method,
      userAgent: header('user-agent'),
      purpose: header('sec-purpose') || header('purpose') || header('x-purpose') || header('x-moz'),
      network: networkOf(request.ip),
    }
  }

  app.get<ByToken>('/c/:token', async (request, reply) => {
    const { to = '' } = request.query
    const target = await recordClick(deps, request.params.token, getArrival(request), String(to))
    return hideToken(reply).redirect(target ?? `${deps.config.publicUrl}/cart/recover?cart_id=unknown`, 302)
  })

  app.get<ByToken>('/u/:token', async (request, reply) => {
    await noteUnsubscribeLink(deps, request.params.token, getArrival(request))
    return hideToken(reply).redirect(`/unsubscribe?token=${encodeURIComponent(request.params.token)}`, 302)
  })

  // Every token gets the pixel; unknown ones are not recorded.
  app.get<ByToken>('/o/:token', async (request, reply) => {
    await recordOpen(deps, request.params.token, getArrival(request))
    return hideToken(reply).type('image/gif').send(PIXEL)
  })
}

/** Keeps the URL, which contains a token, out of caches and referrers. */
const hideToken = (reply: FastifyReply) =>
  reply.header('referrer-policy', 'no-referrer').header('cache-control', 'no-store')
