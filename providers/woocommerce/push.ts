// Web push on the shop's pages (docs/web-push.md), from the plugin or from pasted code: the page snippets, and the
// worker on the shop's own origin. Stored with the data.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Shop } from './shop.ts'
import { readMeta, writeMeta } from './sqlite.ts'

export type PushHost = {
  /** HTML for the head of every page. */
  head: string
  /** HTML for the body of every page. */
  body?: string
  /** Path of the worker: `/?recoup-sw=1` like plugin and functions.php, or `/sw.js` like an uploaded file. */
  workerPath: '/?recoup-sw=1' | '/sw.js'
  /** The worker's source, or the URL from which the plugin imports it. */
  worker: { text: string } | { url: string }
}

export function readPushHost(shop: Shop): PushHost | null {
  return JSON.parse(readMeta(shop.db, 'push') ?? 'null') as PushHost | null
}

export function writePushHost(shop: Shop, host: PushHost | null) {
  writeMeta(shop.db, 'push', JSON.stringify(host))
}

/** Registered before the pages, because `/?recoup-sw=1` is not the home page. */
export function serveWorker(app: FastifyInstance, shop: Shop) {
  app.addHook('onRequest', async (request, reply) => {
    const host = isWorkerRequest(request) ? readPushHost(shop) : null
    if (host && request.url === host.workerPath) return sendWorker(host, reply)
  })
}

const isWorkerRequest = ({ method, url }: FastifyRequest) => method === 'GET' && /^\/(\?recoup-sw=1|sw\.js)$/.test(url)

async function sendWorker({ worker, workerPath }: PushHost, reply: FastifyReply) {
  const text = 'text' in worker ? worker.text : await fetchText(worker.url)
  if (text === null) return reply.code(502).type('text/plain').send('The worker could not be read.')
  if (workerPath === '/?recoup-sw=1') reply.header('service-worker-allowed', '/')
  return reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(text)
}

async function fetchText(url: string): Promise<string | null> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
  return answer?.ok ? answer.text() : null
}
