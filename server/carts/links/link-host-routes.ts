import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import * as api from '../../../shared/carts/link-host.ts'
import { serveStore } from '../../access/http/public.ts'
import type { Deps } from '../../deps.ts'
import { routeLinkHost } from './link-host-rules.ts'
import { isLinkHost } from './link-host-sql.ts'
import { buildProof, createHostCheck, PROOF_PATH, removeLinkHost, saveLinkHost, viewLinkHost } from './link-hosts.ts'

// Shops' own hosts for links: their setup, and what is served on them.

const AskQuery = z.object({ domain: z.string().max(253).toLowerCase().default('') })

export function linkHostRoutes(
  app: FastifyInstance,
  deps: Pick<Deps, 'config' | 'db' | 'log' | 'now' | 'pool' | 'secrets'>,
): void {
  serveStore(app, deps, api.readLinkHost, ({ store, session }) => viewLinkHost(deps, store, session))

  serveStore(app, deps, api.saveLinkHost, async ({ store, session, body }) => {
    await saveLinkHost(deps, store, session, body.host)
    return viewLinkHost(deps, store, session)
  })

  serveStore(app, deps, api.removeLinkHost, async ({ store, session }) => {
    await removeLinkHost(store, session)
    return viewLinkHost(deps, store, session)
  })

  // For proxies that fetch certificates on demand: only proven hosts are confirmed.
  app.get(`${PROOF_PATH}/ask`, async (request, reply) => {
    const { domain } = AskQuery.parse(request.query)
    const isKnown = await isLinkHost(deps.db, domain)
    return reply.code(isKnown ? 200 : 404).send()
  })

  app.get(PROOF_PATH, async (request, reply) =>
    reply.header('cache-control', 'no-store').type('text/plain').send(buildProof(deps, request.hostname)),
  )
}

/** Runs before all routes: a shop's host serves neither the app nor the API. */
export function guardLinkHosts(app: FastifyInstance, deps: Pick<Deps, 'config' | 'db' | 'now'>): void {
  const isOne = createHostCheck(deps)
  app.addHook('onRequest', async (request, reply) => {
    if (!(await isOne(request.hostname))) return
    const verdict = routeLinkHost(request.url.split('?', 1)[0]!)
    if (verdict === 'served') return
    if (verdict === 'elsewhere') return reply.redirect(`${deps.config.publicUrl}${request.url}`, 302)
    return reply.code(404).send({ error: 'Not found', code: 'not_found', requestId: request.id })
  })
}
