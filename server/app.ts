import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyCookie from '@fastify/cookie'
import fastifyStatic from '@fastify/static'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { buildPlainLink } from '../shared/carts/link-tokens.ts'
import { findScreen } from '../shared/screens.ts'
import { docsRoutes, mapErrors } from './access/http/public.ts'
import { notificationRoutes } from './access/notifications/public.ts'
import { secondFactorRoutes } from './access/second-factor/public.ts'
import { billingRoutes } from './billing/billing/public.ts'
import { creditRoutes } from './billing/credits/public.ts'
import { paymentRoutes, stripeHookRoutes } from './billing/payments/public.ts'
import { subscribingRoutes } from './billing/subscribing/public.ts'
import { brandRoutes } from './carts/brand/public.ts'
import { captureRoutes } from './carts/capture/public.ts'
import { couponRoutes } from './carts/coupons/public.ts'
import { experimentRoutes } from './carts/experiments/public.ts'
import { guardLinkHosts, linkHostRoutes } from './carts/links/public.ts'
import { webhookRoutes } from './carts/sync/public.ts'
import { compileRanges, hasOneHost, limitConnections } from './core/net/public.ts'
import { engagementRoutes } from './delivery/engagement/public.ts'
import { channelHookRoutes } from './delivery/inbound/public.ts'
import { mailEventRoutes } from './delivery/mail-reports/public.ts'
import { messageRoutes, preferenceRoutes } from './delivery/preferences/public.ts'
import type { Deps } from './deps.ts'
import { analyticsRoutes, dashboardRoutes } from './insights/analytics/public.ts'
import { audienceRoutes } from './marketing/audiences/public.ts'
import { campaignReportRoutes } from './marketing/campaign-reports/public.ts'
import { campaignRoutes } from './marketing/campaigns/public.ts'
import { cartRoutes } from './marketing/cart-pages/public.ts'
import { customerRoutes } from './marketing/customers/public.ts'
import { discountMailRoutes } from './marketing/discount-mail/public.ts'
import { flowRoutes } from './marketing/flows/public.ts'
import { ledgerRoutes } from './marketing/ledger/public.ts'
import { manualRoutes } from './marketing/manual-sends/public.ts'
import { consentRoutes } from './shoppers/consent/public.ts'
import { suppressionRoutes } from './shoppers/suppressions/public.ts'
import { accountRoutes, profileRoutes, teamRoutes } from './workspace/accounts/public.ts'
import { analyticsReportRoutes } from './workspace/analytics-reports/public.ts'
import { demoRoutes, healthRoutes, instanceRoutes, type SendApp, siteRoutes } from './workspace/instance/public.ts'
import { liveRoutes } from './workspace/live/public.ts'
import { operatorRoutes } from './workspace/operator/public.ts'
import { pluginCallRoutes, pluginRoutes } from './workspace/plugin-calls/public.ts'
import { privacyRoutes } from './workspace/privacy/public.ts'
import { pushRoutes, pushScriptRoutes } from './workspace/push-setup/public.ts'
import { channelRoutes, storeRoutes } from './workspace/store-settings/public.ts'

/** Registers all routes. The browser app comes last: a path without a route is one of its screens or not found. */
export function buildApp(deps: Deps): FastifyInstance {
  const isTrusted = compileRanges(deps.config.trustedProxies)
  const app = Fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 1_048_576,
    trustProxy: isTrusted,
    // Bounds slow request bodies; the largest upload takes this long at 1.5 Mbit/s.
    requestTimeout: 120_000,
    http: { headersTimeout: 20_000, connectionsCheckingInterval: 5_000 },
    routerOptions: { maxParamLength: 300 },
    rewriteUrl: ({ url = '/' }) => buildPlainLink(url),
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
  const sendApp = siteRoutes(app, deps, PAGES)
  liveRoutes(app, deps)
  serveBrowserApp(app, sendApp)
  return app
}

/** One-click unsubscribes arrive as forms (RFC 8058), whose content is not used. */
function readForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 10_240 },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
  )
}

/** Clients send a JSON content type on every request (B 7), even with an empty body. */
function readEmptyBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null, undefined) : parse(request, body as string, done),
  )
}

const STRICT_TRANSPORT = ['strict-transport-security', 'max-age=31536000'] as const

/** Checks connection, Host header and proxy before any route. */
function guardConnections(
  app: FastifyInstance,
  { log }: Pick<Deps, 'log'>,
  isTrusted: (address: string) => boolean,
): void {
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

/**
 * Images may come from any host, scripts only from this server. Frames that show mails inherit this policy and run no
 * scripts.
 */
const PAGE_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: http: https:; font-src 'self' data:; connect-src 'self'; frame-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"

function secureHeaders(app: FastifyInstance, { config }: Pick<Deps, 'config'>): void {
  const own = new URL(config.publicUrl)
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-content-type-options', 'nosniff')
    // On a link host of a shop, the shop decides.
    if (own.protocol === 'https:' && request.hostname === own.hostname) reply.header(...STRICT_TRANSPORT)
    // API replies are personal and must not be cached.
    if (request.url.startsWith('/api/') && !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    if (!reply.hasHeader('referrer-policy')) reply.header('referrer-policy', 'strict-origin-when-cross-origin')
    if (!reply.hasHeader('x-frame-options')) reply.header('x-frame-options', 'SAMEORIGIN')
    const isPage = String(reply.getHeader('content-type')).startsWith('text/html')
    if (isPage && !reply.hasHeader('content-security-policy')) reply.header('content-security-policy', PAGE_POLICY)
  })
}

const PAGES = path.resolve(fileURLToPath(new URL('../dist/web', import.meta.url)))

function serveBrowserApp(app: FastifyInstance, sendApp: SendApp): void {
  const hasPages = fs.existsSync(path.join(PAGES, 'index.html'))
  if (hasPages) {
    app.register(fastifyStatic, {
      root: PAGES,
      wildcard: false,
      // The build writes .br and .gz files beside each text file. They are served in its place, not under their own
      // URLs.
      preCompressed: true,
      globIgnore: ['**/*.{br,gz}', 'landing*.html', 'index.html', 'shopper.html'],
      setHeaders: (response, file) => {
        const isHashed = file.includes(`${path.sep}assets${path.sep}`)
        response.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      },
    })
  }
  app.setNotFoundHandler((request, reply) => {
    if (hasPages && wantsPage(request)) {
      // The app shows its own 404 page.
      const screen = findScreen(getPath(request))
      if (!screen) return sendApp(request, reply.code(404))
      return sendApp(request, reply, screen.isForShoppers ? 'shopper.html' : 'index.html')
    }
    return reply.code(404).send({ error: 'Not found', code: 'not_found', requestId: request.id })
  })
}

/** Whether the request is for a page, not an API call. */
function wantsPage(request: FastifyRequest): boolean {
  const accepted = request.headers.accept ?? ''
  const wantsJson = accepted.includes('json') && !accepted.includes('text/html')
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return isRead && !wantsJson && !/^\/(api|capture|push|socket\.io)\//.test(getPath(request))
}

const getPath = (request: FastifyRequest) => request.url.split('?', 1)[0]!
