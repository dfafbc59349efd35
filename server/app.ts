import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { accountRoutes, profileRoutes } from './accounts/routes.ts'
import { teamRoutes } from './accounts/team-routes.ts'
import { dashboardRoutes } from './analytics/routes.ts'
import { billingRoutes } from './billing/routes.ts'
import { captureRoutes } from './carts/capture-routes.ts'
import { cartRoutes } from './carts/routes.ts'
import { channelHookRoutes } from './channels/hook-routes.ts'
import { mailEventRoutes } from './channels/mail-event-routes.ts'
import { channelRoutes } from './channels/routes.ts'
import type { Deps } from './deps.ts'
import { docsRoutes } from './docs.ts'
import { flowRoutes } from './flows/routes.ts'
import { mapErrors } from './http.ts'
import { demoRoutes } from './instance/demo-routes.ts'
import { healthRoutes } from './instance/health.ts'
import { instanceRoutes } from './instance/routes.ts'
import { sendApp, siteRoutes } from './instance/site-routes.ts'
import { ledgerRoutes } from './ledger/routes.ts'
import { liveRoutes } from './live/routes.ts'
import { byHandRoutes } from './messages/by-hand-routes.ts'
import { messageRoutes } from './messages/routes.ts'
import { personRoutes } from './persons/routes.ts'
import { preferenceRoutes } from './preferences/routes.ts'
import { consentRoutes } from './shoppers/routes.ts'
import { storeRoutes } from './stores/routes.ts'
import { webhookRoutes } from './stores/webhook-routes.ts'
import { suppressionRoutes } from './suppressions/routes.ts'
import { guardLinkHosts, linkHostRoutes } from './visits/link-host-routes.ts'
import { visitRoutes } from './visits/routes.ts'

/** All routes. The browser app's files come last: whatever no route knows is a page of it. */
export function buildApp(deps: Deps): FastifyInstance {
  const app = Fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 1_048_576,
    trustProxy: deps.config.isLocal ? false : 'loopback,linklocal,uniquelocal',
    routerOptions: { maxParamLength: 300 },
  })
  mapErrors(app)
  readForms(app)
  secureHeaders(app)
  guardLinkHosts(app, deps)
  for (const routes of [
    accountRoutes,
    profileRoutes,
    teamRoutes,
    billingRoutes,
    storeRoutes,
    cartRoutes,
    dashboardRoutes,
    flowRoutes,
    channelRoutes,
    messageRoutes,
    visitRoutes,
    linkHostRoutes,
    preferenceRoutes,
    ledgerRoutes,
    consentRoutes,
    byHandRoutes,
    suppressionRoutes,
    personRoutes,
    instanceRoutes,
    demoRoutes,
    captureRoutes,
    healthRoutes,
  ]) {
    routes(app, deps)
  }
  webhookRoutes(app, deps)
  channelHookRoutes(app, deps)
  mailEventRoutes(app, deps)
  docsRoutes(app)
  siteRoutes(app, deps, PAGES)
  liveRoutes(app, deps)
  servePages(app)
  return app
}

/** One-click unsubscribes come as forms (RFC 8058); nothing in them is needed. */
function readForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 10_240 },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
  )
}

/** Store pictures come from anywhere; scripts only from here. Mails are shown in frames that inherit this and run none. */
const PAGE_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: http: https:; font-src 'self' data:; connect-src 'self'; frame-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"

function secureHeaders(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff')
    if (!reply.hasHeader('referrer-policy')) reply.header('referrer-policy', 'strict-origin-when-cross-origin')
    if (!reply.hasHeader('x-frame-options')) reply.header('x-frame-options', 'SAMEORIGIN')
    const isPage = String(reply.getHeader('content-type')).startsWith('text/html')
    if (isPage && !reply.hasHeader('content-security-policy')) reply.header('content-security-policy', PAGE_POLICY)
  })
}

const PAGES = path.resolve(fileURLToPath(new URL('../dist/web', import.meta.url)))

function servePages(app: FastifyInstance): void {
  const hasPages = fs.existsSync(path.join(PAGES, 'index.html'))
  if (hasPages) {
    app.register(fastifyStatic, {
      root: PAGES,
      wildcard: false,
      // The build leaves a .br and a .gz beside each text file; they are answers, not addresses of their own.
      preCompressed: true,
      globIgnore: ['**/*.{br,gz}', 'landing*.html', 'index.html'],
      setHeaders: (response, file) => {
        const isHashed = file.includes(`${path.sep}assets${path.sep}`)
        response.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      },
    })
  }
  app.setNotFoundHandler((request, reply) => {
    // Of the path alone: a search for an address ends like a file.
    const [pathname = ''] = request.url.split('?')
    const isPage =
      (request.method === 'GET' || request.method === 'HEAD') &&
      !/^\/(api|c|o|u|capture|socket\.io)\//.test(pathname) &&
      !/\.\w{2,5}$/.test(pathname)
    if (isPage && hasPages) return sendApp(reply)
    return reply.code(404).send({ error: 'Not found', code: 'not_found', requestId: request.id })
  })
}
