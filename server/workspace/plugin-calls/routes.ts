import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DEFAULT_PLATFORM } from '../../../shared/platforms/platforms.ts'
import * as api from '../../../shared/workspace/plugin.ts'
import { type Routes, readInput, serveAccount, serveStore } from '../../access/http/public.ts'
import { notify } from '../../access/notifications/public.ts'
import { isSignedBy, readHeaders } from '../../access/plugin/public.ts'
import { AppError } from '../../core/common/public.ts'
import { readBackLink } from '../../delivery/restore/public.ts'
import type { Deps } from '../../deps.ts'
import { findPluginProtocol } from '../../platforms/registry/public.ts'
import { eraseForShop, exportForShop } from '../privacy/public.ts'
import { disconnectStore } from '../store-settings/public.ts'
import { processBatch } from './batch.ts'
import { processBeat } from './beat.ts'
import { ProtocolError, rateLimitError, unauthenticatedError } from './caller.ts'
import { confirmInvitation, exchangeCode, findCode, reviewInvitation } from './connecting.ts'
import { requestTest, viewPlugin } from './owner.ts'
import { assertInTime, type CallLimits, openLimits, parseBody, replySigned, serveSigned } from './signed-routes.ts'
import { Disconnect, MAX_BYTES, PrivacyRequest, Restore } from './wire.ts'
import { servedZip } from './zip.ts'

// Endpoints for the plugin's owner, and for the plugin itself. The latter are signed over the raw bytes, so they have a
// scope of their own.

/** The oldest supported plugin version. */
const MIN_VERSION = '0.1.0'
/** Read before the signature is checked; the limits of the calls are lower. */
const MAX_READ_BYTES = 1_048_576

export const pluginRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.reviewPlugin, ({ session, query }) => reviewInvitation(deps, session, query.connect))

  serveAccount(app, deps, api.confirmPlugin, async ({ session, body }) => ({
    url: await confirmInvitation(deps, session, body.connect),
  }))

  serveStore(app, deps, api.readPlugin, async ({ store }) => ({ plugin: await viewPlugin(deps, store) }))

  serveStore(app, deps, api.testPlugin, async ({ store }) => ({ message: await requestTest(deps, store) }))

  serveZip(app, deps.config)
}

/** Serves the zip with this server's address, or as built: a publisher signs those bytes. */
export function serveZip(app: FastifyInstance, { publicUrl }: { publicUrl: string }, built?: string): void {
  const { file } = findPluginProtocol(DEFAULT_PLATFORM)
  app.get(`/plugin/${file}`, async (request, reply) => {
    const zip = await servedZip(publicUrl, built)
    if (!zip) throw new AppError('not_found', 'The plugin has not been built on this server.')
    return reply
      .type('application/zip')
      .header('content-disposition', `attachment; filename="${file}"`)
      .header('cache-control', 'no-cache')
      .send('signed' in (request.query as object) ? zip.built : zip.content)
  })
}

export const pluginCallRoutes: Routes = (app, deps) => {
  app.register(async (scope) => signedRoutes(scope, deps))
}

function signedRoutes(scope: FastifyInstance, deps: Deps): void {
  const limits = openLimits()
  const context = { deps, limits }
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_READ_BYTES }, (_request, body, done) =>
    done(null, body),
  )
  scope.addHook('onRequest', (request) => limits.assertTrusted(request))

  scope.get('/api/plugin', async () => ({
    recoup: 1,
    now: Math.floor(deps.now().getTime() / 1_000),
    minPlugin: MIN_VERSION,
  }))

  scope.post('/api/plugin/connect', (request, reply) => serveConnect(deps, limits, request, reply))

  scope.post('/api/plugin/batch', (request, reply) =>
    serveSigned(context, 'batch', { request, reply }, (caller, body) => processBatch(deps, caller, body)),
  )

  scope.post('/api/plugin/beat', (request, reply) =>
    serveSigned(context, 'beat', { request, reply }, (caller, body) => processBeat(deps, caller, body)),
  )

  scope.post('/api/plugin/restore', (request, reply) =>
    serveSigned(context, 'restore', { request, reply }, async (caller, body) => {
      const cart = await readBackLink(deps, caller, readInput(Restore, body).token)
      if (!cart) {
        await limits.takeUnknown(caller.storeId)
        throw new AppError('not_found', 'The link is unknown, expired or for another shop.')
      }
      if ('waitS' in cart) throw rateLimitError(cart.waitS)
      return { ...cart }
    }),
  )

  scope.post('/api/plugin/privacy', (request, reply) =>
    serveSigned(context, 'privacy', { request, reply }, async (caller, body) => {
      const { ask, email, page } = readInput(PrivacyRequest, body)
      deps.log.info({ storeId: caller.storeId, ask }, 'plugin.privacy')
      if (ask === 'erase') return { isErasing: await eraseForShop(deps, caller, email) }
      return { ...(await exportForShop(deps, caller, { email, page })) }
    }),
  )

  scope.post('/api/plugin/disconnect', (request, reply) =>
    serveSigned(context, 'disconnect', { request, reply }, async (caller, body) => {
      const { reason } = readInput(Disconnect, body)
      await disconnectStore(deps, caller, reason === 'uninstall' ? 'uninstall' : 'shop')
      await notify(caller, { type: 'store_uninstalled', data: { url: caller.homeUrl }, at: deps.now() })
      deps.log.info({ storeId: caller.storeId, reason }, 'plugin.disconnected')
      return {}
    }),
  )
}

/** Signed with the code's key, because there is no secret yet. */
async function serveConnect(deps: Deps, limits: CallLimits, request: FastifyRequest, reply: FastifyReply) {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const headers = readHeaders(request.headers)
  const found = headers && (await findCode(deps, headers.store))
  if (!found || !isSignedBy(found.key, 'connect', headers, body)) {
    await limits.noteFailure(request)
    throw unauthenticatedError()
  }
  return replySigned(deps, reply, { secret: found.key, nonce: headers.nonce, name: 'connect' }, async () => {
    if (body.length > MAX_BYTES.connect) throw new ProtocolError(413, 'too_large', 'The request body is too large.')
    assertInTime(headers, deps.now())
    return exchangeCode(deps, found, parseBody(body))
  })
}
