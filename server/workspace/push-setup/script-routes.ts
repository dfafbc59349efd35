import { fileURLToPath } from 'node:url'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Routes } from '../../access/http/public.ts'
import {
  buildModeSetup,
  type CaptureScript,
  openCaptureScript,
  type ScriptEncoding,
} from '../../carts/capture/public.ts'
import { AppError } from '../../core/common/public.ts'
import { findStoresByCaptureKeys } from '../../core/db/public.ts'

// Serves the widget for shops' pages, and sw.js, which shops copy or their plugin fetches (decisions 75 and 78).

const getBuiltPath = (name: string) => fileURLToPath(new URL(`../../../dist/storefront/${name}`, import.meta.url))

const ENCODINGS: ScriptEncoding[] = ['br', 'gzip', 'identity']

export const pushScriptRoutes: Routes = (app, deps) => {
  const readWidget = openCaptureScript(getBuiltPath('push.js'))
  const readWorker = openCaptureScript(getBuiltPath('sw.js'))
  app.get('/push/sw.js', async (request, reply) => {
    // A page that checks its shop's copy loads it as well.
    reply.header('access-control-allow-origin', '*')
    return send(request, reply, (encoding) => readWorker(null, encoding))
  })
  app.get('/push/:file', async (request, reply) => {
    const key = /^([\w-]{1,100})\.js$/.exec((request.params as { file: string }).file)?.[1]
    if (!key) throw new AppError('not_found', 'Not found')
    const [store] = await findStoresByCaptureKeys(deps.db, [key])
    const setup = { key, origin: deps.config.publicUrl, ...buildModeSetup(store) }
    return send(request, reply, (encoding) => readWidget(setup, encoding))
  })
}

/** Revalidated after an hour in the background, so pages never wait. */
const CACHED = 'public, max-age=3600, stale-while-revalidate=86400'

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  read: (encoding: ScriptEncoding) => Promise<CaptureScript>,
) {
  const encoding = (negotiate(String(request.headers['accept-encoding'] ?? ''), ENCODINGS) ??
    'identity') as ScriptEncoding
  const { body, etag } = await read(encoding)
  reply
    .header('cache-control', CACHED)
    .header('etag', etag)
    .header('vary', 'accept-encoding')
    .header('cross-origin-resource-policy', 'cross-origin')
  if (String(request.headers['if-none-match'] ?? '').includes(etag)) return reply.code(304).send()
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type('text/javascript; charset=utf-8').send(body)
}
