import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CAPTURE_MAX_BYTES, type CapturePost } from '../../../shared/carts/capture.ts'
import type { Routes } from '../../access/http/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import type { ReceivedPost } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import { limitPostToMode, recordCapture } from './capture.ts'
import { foldPostsOfCart, foldStorePosts, type Intake, openIntake, type PostingStore } from './capture-intake.ts'
import { buildModeSetup } from './capture-mode.ts'
import { isStoreOrigin, readDeviceClass } from './capture-rules.ts'
import { openCaptureScript, THEME_FILE } from './capture-script.ts'
import { readCapturePost } from './post-check.ts'
import { createClientHasher, createPostLimiter } from './post-limits.ts'

// Capture: the script that shops' pages load and the posts they send. Public, in a scope with its own body parser:
// posts arrive as text, which needs no preflight and can outlive the page.

export const captureRoutes: Routes = (app, deps) => {
  app.register(async (scope) => {
    const intake = openIntake(deps)
    scope.addHook('onClose', () => intake.close())
    scriptRoute(scope, deps, intake)
    postRoutes(scope, deps, intake)
  })
}

function scriptRoute(scope: FastifyInstance, deps: Pick<Deps, 'config'>, intake: Intake): void {
  const scripts = { shop: openCaptureScript(), theme: openCaptureScript(THEME_FILE) }
  scope.get('/capture/:file', async (request, reply) => {
    const { file } = request.params as { file: string }
    const [, key, theme] = /^([\w-]{1,100})(\.theme)?\.js$/.exec(file) ?? []
    if (!key) throw new AppError('not_found', 'Not found')
    const encoding = negotiate(String(request.headers['accept-encoding'] ?? ''), [...ENCODINGS]) ?? 'identity'
    const setup =
      key === 'capture' ? null : { key, origin: deps.config.publicUrl, ...buildModeSetup(await intake.storeOf(key)) }
    const { body, etag } = await scripts[theme ? 'theme' : 'shop'](setup, encoding)
    reply
      // Revalidated after an hour, in the background, so that no page waits.
      .header('cache-control', 'public, max-age=3600, stale-while-revalidate=86400')
      .header('etag', etag)
      .header('vary', 'accept-encoding')
      .header('cross-origin-resource-policy', 'cross-origin')
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.type('text/javascript; charset=utf-8').send(body)
  })
}

const ENCODINGS = ['br', 'gzip', 'identity'] as const

/** A proxy may have weakened the tag, and a browser may send several. */
const matchesEtag = (known: string | undefined, etag: string) =>
  (known ?? '').split(',').some((each) => each.trim().replace(/^W\//, '') === etag)

function postRoutes(scope: FastifyInstance, deps: Deps, intake: Intake): void {
  const limitPosts = createPostLimiter()
  const clientOf = createClientHasher(deps)
  scope.removeAllContentTypeParsers()
  const options = { parseAs: 'string' as const, bodyLimit: CAPTURE_MAX_BYTES }
  scope.addContentTypeParser(['text/plain', 'application/json'], options, (_request, body, done) => done(null, body))

  scope.options('/api/capture/:storeKey', async (request, reply) => {
    await allowOrigin(intake, request, reply)
    return reply
      .header('access-control-allow-methods', 'POST')
      .header('access-control-allow-headers', 'content-type')
      .header('access-control-max-age', '86400')
      .code(204)
      .send()
  })

  scope.post('/api/capture/:storeKey', { bodyLimit: CAPTURE_MAX_BYTES }, async (request, reply) => {
    const store = await allowOrigin(intake, request, reply)
    const client = clientOf(request.ip)
    limitPosts(store.id, client)
    const post: ReceivedPost = readBody(request.body)
    // A consent or withdrawal must be effective when the answer is sent (C2, C5). A consent concerns the contact, a
    // withdrawal one that the cart already has; an earlier post may have brought it just now.
    const handle = { storeId: store.id, db: deps.db }
    if (hasWithdrawal(post)) await foldStorePosts(deps, handle)
    else if (post.consent) await foldPostsOfCart(deps, handle, post.cart)
    const zone = deps.zones?.zoneOf(request.ip)
    const deviceClass = readDeviceClass(request.headers['user-agent'])
    if (zone) post.zone = zone
    if (deviceClass) post.deviceClass = deviceClass
    const placed = await limitPostToMode(deps, store, post)
    if (!placed) return reply.code(204).send()
    if (placed.consent) await recordCapture(deps, store, placed, client)
    else await intake.keep(store, placed, client)
    return reply.code(204).send()
  })
}

/** The store of the key, if the post comes from its pages. The page may then read the answer. */
async function allowOrigin(intake: Intake, request: FastifyRequest, reply: FastifyReply): Promise<PostingStore> {
  const { storeKey } = request.params as { storeKey: string }
  const isKey = /^[\w-]{1,100}$/.test(storeKey)
  const store = requireFound(isKey ? await intake.storeOf(storeKey) : null, 'Store')
  if (!store.is_active) throw new AppError('not_found', 'Store not found')
  const origin = request.headers.origin
  if (!origin || !isStoreOrigin(store, origin)) {
    throw new AppError('forbidden', 'Posts are taken from the pages of the store only.')
  }
  reply.header('access-control-allow-origin', origin).header('vary', 'Origin')
  return store
}

const hasWithdrawal = ({ consent = {} }: CapturePost) => Object.values(consent).some((box) => box && !box.isGiven)

function readBody(body: unknown): CapturePost {
  const post = readCapturePost(parseJson(body))
  if (!post.items && !post.contact && !post.consent && !post.boxes)
    throw new AppError('invalid', 'The post says nothing.')
  return post
}

function parseJson(body: unknown): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : '')
  } catch (error) {
    throw new AppError('invalid', 'The post is not JSON.', { cause: error })
  }
}
