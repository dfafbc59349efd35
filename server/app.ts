import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyCookie from '@fastify/cookie'
import fastifyStatic from '@fastify/static'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { plainLink } from '../shared/link-tokens.ts'
import { screenOf } from '../shared/screens.ts'
import { accountRoutes, profileRoutes } from './workspace/accounts/routes.ts'
import { teamRoutes } from './workspace/accounts/team-routes.ts'
import { analyticsRoutes } from './insights/analytics/analytics-routes.ts'
import { dashboardRoutes } from './insights/analytics/routes.ts'
import { analyticsReportRoutes } from './workspace/analytics-reports/routes.ts'
import { audienceRoutes } from './marketing/audiences/routes.ts'
import { billingRoutes } from './billing/billing/routes.ts'
import { brandRoutes } from './carts/brand/routes.ts'
import { campaignReportRoutes } from './marketing/campaign-reports/routes.ts'
import { campaignRoutes } from './marketing/campaigns/routes.ts'
import { captureRoutes } from './carts/capture/capture-routes.ts'
import { cartRoutes } from './marketing/cart-pages/routes.ts'
import { consentRoutes } from './shoppers/consent/routes.ts'
import { couponRoutes } from './carts/coupons/routes.ts'
import { creditRoutes } from './billing/credits/routes.ts'
import { customerRoutes } from './marketing/customers/routes.ts'
import type { Deps } from './deps.ts'
import { discountMailRoutes } from './marketing/discount-mail/routes.ts'
import { engagementRoutes } from './delivery/engagement/routes.ts'
import { experimentRoutes } from './carts/experiments/routes.ts'
import { flowRoutes } from './marketing/flows/routes.ts'
import { docsRoutes } from './access/http/docs.ts'
import { mapErrors } from './access/http/http.ts'
import { channelHookRoutes } from './delivery/inbound/hook-routes.ts'
import { demoRoutes } from './workspace/instance/demo-routes.ts'
import { healthRoutes } from './workspace/instance/health.ts'
import { instanceRoutes } from './workspace/instance/routes.ts'
import { sendApp, siteRoutes } from './workspace/instance/site-routes.ts'
import { ledgerRoutes } from './marketing/ledger/routes.ts'
import { guardLinkHosts, linkHostRoutes } from './carts/links/link-host-routes.ts'
import { liveRoutes } from './workspace/live/routes.ts'
import { mailEventRoutes } from './delivery/mail-reports/mail-event-routes.ts'
import { manualRoutes } from './marketing/manual-sends/manual-routes.ts'
import { hasOneHost, limitConnections, openRanges } from './core/net/clients.ts'
import { notificationRoutes } from './access/notifications/routes.ts'
import { operatorRoutes } from './workspace/operator/routes.ts'
import { stripeHookRoutes } from './billing/payments/hook-routes.ts'
import { paymentRoutes } from './billing/payments/routes.ts'
import { pluginCallRoutes, pluginRoutes } from './workspace/plugin-calls/routes.ts'
import { preferenceRoutes } from './delivery/preferences/routes.ts'
import { messageRoutes } from './delivery/preferences/unsubscribe-routes.ts'
import { privacyRoutes } from './workspace/privacy/routes.ts'
import { pushRoutes } from './workspace/push-setup/routes.ts'
import { pushScriptRoutes } from './workspace/push-setup/script-routes.ts'
import { secondFactorRoutes } from './access/second-factor/routes.ts'
import { channelRoutes } from './workspace/store-settings/channel-routes.ts'
import { storeRoutes } from './workspace/store-settings/routes.ts'
import { subscribingRoutes } from './billing/subscribing/routes.ts'
import { suppressionRoutes } from './shoppers/suppressions/routes.ts'
import { webhookRoutes } from './carts/sync/webhook-routes.ts'

/** All routes. The browser app's files come last: what no route knows is a screen of it, or not found. */
export function buildApp(deps: Deps): FastifyInstance {
  const isTrusted = openRanges(deps.config.trustedProxies)
  const app = Fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 1_048_576,
    trustProxy: isTrusted,
    // A body that trickles in holds a connection; the largest upload takes as long at 1.5 Mbit/s.
    requestTimeout: 120_000,
    http: { headersTimeout: 20_000, connectionsCheckingInterval: 5_000 },
    routerOptions: { maxParamLength: 300 },
    rewriteUrl: ({ url = '/' }) => plainLink(url),
  })
  app.register(fastifyCookie)
  mapErrors(app)
  readForms(app)
  readEmptyBodies(app)
  guardConnections(app, deps, isTrusted)
  secureHeaders(app, deps)
  guardLinkHosts(app, deps)
  for (const routes of [
    accountRoutes,
    profileRoutes,
    secondFactorRoutes,
    teamRoutes,
    billingRoutes,
    creditRoutes,
    paymentRoutes,
    subscribingRoutes,
    storeRoutes,
    pluginRoutes,
    cartRoutes,
    dashboardRoutes,
    analyticsRoutes,
    analyticsReportRoutes,
    notificationRoutes,
    couponRoutes,
    flowRoutes,
    experimentRoutes,
    channelRoutes,
    messageRoutes,
    engagementRoutes,
    linkHostRoutes,
    brandRoutes,
    preferenceRoutes,
    ledgerRoutes,
    consentRoutes,
    manualRoutes,
    discountMailRoutes,
    campaignRoutes,
    audienceRoutes,
    campaignReportRoutes,
    suppressionRoutes,
    privacyRoutes,
    customerRoutes,
    instanceRoutes,
    operatorRoutes,
    demoRoutes,
    captureRoutes,
    pushRoutes,
    pushScriptRoutes,
    healthRoutes,
  ]) {
    routes(app, deps)
  }
  webhookRoutes(app, deps)
  pluginCallRoutes(app, deps)
  stripeHookRoutes(app, deps)
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

/** Clients announce JSON on every request (B 7), also where there is nothing to send. */
function readEmptyBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null, undefined) : parse(request, body as string, done),
  )
}

const STRICT_TRANSPORT = ['strict-transport-security', 'max-age=31536000'] as const

/** Before any route. */
function guardConnections(app: FastifyInstance, { log }: Deps, isTrusted: (address: string) => boolean): void {
  let hasWarned = false
  limitConnections(app.server, { isTrusted, onRefused: () => log.warn('net.too-many-connections') })
  app.addHook('onRequest', async (request, reply) => {
    if (!hasOneHost(request.raw.rawHeaders)) {
      return reply.code(400).send({ error: 'Only one Host header.', code: 'invalid', requestId: request.id })
    }
    const isForwarded = request.headers['x-forwarded-for'] !== undefined
    if (isForwarded && !hasWarned && !isTrusted(request.socket.remoteAddress ?? '')) {
      hasWarned = true
      log.warn('net.proxy-not-trusted: X-Forwarded-For is ignored, see TRUSTED_PROXIES')
    }
  })
}

/** Store pictures come from anywhere; scripts only from here. Mails are shown in frames that inherit this and run none. */
const PAGE_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: http: https:; font-src 'self' data:; connect-src 'self'; frame-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"

function secureHeaders(app: FastifyInstance, { config }: Deps): void {
  const own = new URL(config.publicUrl)
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-content-type-options', 'nosniff')
    // On a shop's own host it is the shop that decides.
    if (own.protocol === 'https:' && request.hostname === own.hostname) reply.header(...STRICT_TRANSPORT)
    // Answers of the API are for who asked, at that moment.
    if (request.url.startsWith('/api/') && !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
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
    if (hasPages && isForPeople(request)) {
      // What is not there the app says, on its 404 page.
      return sendApp(screenOf(pathOf(request)) ? reply : reply.code(404))
    }
    return reply.code(404).send({ error: 'Not found', code: 'not_found', requestId: request.id })
  })
}

/** Asked for as a page, not by a program that reads JSON. */
function isForPeople(request: FastifyRequest): boolean {
  const accepted = request.headers.accept ?? ''
  const wantsJson = accepted.includes('json') && !accepted.includes('text/html')
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return isRead && !wantsJson && !/^\/(api|capture|push|socket\.io)\//.test(pathOf(request))
}

const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0]!
