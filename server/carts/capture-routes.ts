import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CAPTURE_MAX_BYTES, CapturePost } from '../../shared/capture.ts'
import type { Deps } from '../deps.ts'
import { AppError, found } from '../errors.ts'
import type { Routes } from '../http.ts'
import { type CaptureStore, clientOf, createPostLimiter, recordCapture } from './capture.ts'
import { type Intake, openIntake } from './capture-intake.ts'
import { isOriginOf } from './capture-rules.ts'
import { openCaptureScript } from './capture-script.ts'

// Capture: what the shops' pages load from us and post to us. Public, so in a scope with a body parser of its own: posts come as
// text, which needs no preflight and may outlive the page.

export const captureRoutes: Routes = (app, deps) => {
  app.register(async (scope) => {
    scriptRoute(scope, deps)
    postRoutes(scope, deps)
  })
}

function scriptRoute(scope: FastifyInstance, deps: Deps): void {
  const readScript = openCaptureScript()
  scope.get('/capture/:file', async (request, reply) => {
    const { file } = request.params as { file: string }
    const key = /^([\w-]{1,100})\.js$/.exec(file)?.[1]
    if (!key) throw new AppError('not_found', 'Not found')
    const { text, etag } = await readScript(key === 'capture' ? null : { key, origin: deps.config.publicUrl })
    reply
      .header('cache-control', 'public, max-age=3600')
      .header('etag', etag)
      .header('cross-origin-resource-policy', 'cross-origin')
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('text/javascript; charset=utf-8').send(text)
  })
}

function postRoutes(scope: FastifyInstance, deps: Deps): void {
  const limitPosts = createPostLimiter()
  const intake = openIntake(deps)
  scope.addHook('onClose', () => intake.close())
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
    const client = clientOf(deps, request.ip)
    await limitPosts(store.id, client)
    const post = readBody(request.body)
    // What somebody agrees to or withdraws counts when the answer goes out (C2, C5).
    if (post.consent) await recordCapture(deps, store, post, client)
    else await intake.keep(store, post, client)
    return reply.code(204).send()
  })
}

/** The store whose key it is, when the post comes from its pages; the answer may then be read there. */
async function allowOrigin(intake: Intake, request: FastifyRequest, reply: FastifyReply): Promise<CaptureStore> {
  const { storeKey } = request.params as { storeKey: string }
  const isKey = /^[\w-]{1,100}$/.test(storeKey)
  const store = found(isKey ? await intake.storeOf(storeKey) : null, 'Store')
  if (!store.is_active) throw new AppError('not_found', 'Store not found')
  const origin = request.headers.origin
  if (!origin || !isOriginOf(store, origin)) {
    throw new AppError('forbidden', 'Posts are taken from the pages of the store only.')
  }
  reply.header('access-control-allow-origin', origin).header('vary', 'Origin')
  return store
}

function readBody(body: unknown): CapturePost {
  const post = CapturePost.parse(parseJson(body))
  if (!post.items && !post.contact && !post.consent) throw new AppError('invalid', 'The post says nothing.')
  return post
}

function parseJson(body: unknown): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : '')
  } catch (error) {
    throw new AppError('invalid', 'The post is not JSON.', { cause: error })
  }
}
