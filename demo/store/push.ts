// Web push as a shop’s plugin, or code its owner has pasted, brings it onto the pages (docs/web-push.md): what stands in them, and the worker
// at an address of the shop’s own. Kept with the data.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Shop } from './shop.ts'
import { readMeta, writeMeta } from './sqlite.ts'

export type PushHost = {
  /** HTML, in the head of every page. */
  head: string
  /** HTML, in the body of every page. */
  body?: string
  /** Where the worker is served: `/?recoup-sw=1` as the plugin and functions.php do, or `/sw.js` as an uploaded file. */
  workerPath: '/?recoup-sw=1' | '/sw.js'
  /** Its text; or its address, from which the plugin has it. */
  worker: { text: string } | { url: string }
}

export function readPushHost(shop: Shop): PushHost | null {
  return JSON.parse(readMeta(shop.db, 'push') ?? 'null') as PushHost | null
}

export function writePushHost(shop: Shop, host: PushHost | null) {
  writeMeta(shop.db, 'push', JSON.stringify(host))
}

/** Before the pages: `/?recoup-sw=1` is no home page. */
export function serveWorker(app: FastifyInstance, shop: Shop) {
  app.addHook('onRequest', async (request, reply) => {
    const host = isOfWorker(request) ? readPushHost(shop) : null
    if (host && request.url === host.workerPath) return sendWorker(host, reply)
  })
}

const isOfWorker = ({ method, url }: FastifyRequest) => method === 'GET' && /^\/(\?recoup-sw=1|sw\.js)$/.test(url)

async function sendWorker({ worker, workerPath }: PushHost, reply: FastifyReply) {
  const text = 'text' in worker ? worker.text : await readFrom(worker.url)
  if (text === null) return reply.code(502).type('text/plain').send('The worker could not be read.')
  if (workerPath === '/?recoup-sw=1') reply.header('service-worker-allowed', '/')
  return reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(text)
}

async function readFrom(url: string): Promise<string | null> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
  return answer?.ok ? answer.text() : null
}
