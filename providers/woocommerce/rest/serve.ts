// Serves both APIs: under /wp-json/ with pretty permalinks, and by ?rest_route= on any page.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { asText, parsePhpQuery } from '../php.ts'
import { answerRest, type HttpCall, type HttpReply, type Route } from '../rest.ts'
import type { Shop } from '../shop.ts'
import { answerStoreApi } from '../store-api.ts'
import { catalogRoutes } from './catalog.ts'
import { couponRoutes } from './coupons.ts'
import { customerRoutes } from './customers.ts'
import { orderRoutes } from './orders.ts'
import { systemRoutes } from './system.ts'
import { webhookRoutes } from './webhooks.ts'

const routes: Route[] = [
  ...systemRoutes,
  ...orderRoutes,
  ...catalogRoutes,
  ...couponRoutes,
  ...customerRoutes,
  ...webhookRoutes,
]

export function serveRest(app: FastifyInstance, shop: Shop) {
  // Bodies stay text: WordPress parses them after authentication and has its own error for invalid JSON.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const wire = readCall(shop, request)
    if (!wire) return reply.callNotFound()
    await answer(shop, { ...wire, rawBody: typeof request.body === 'string' ? request.body : '' }, reply)
    return reply
  }
  app.all('/wp-json', serve)
  app.all('/wp-json/*', serve)
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'GET' && /[?&]rest_route=/.test(request.raw.url!)) return serve(request, reply)
  })
}

function readCall(shop: Shop, request: FastifyRequest): HttpCall | null {
  const [rawPath = '/', search = ''] = request.raw.url!.split(/\?(.*)/s)
  const query = parsePhpQuery(search)
  const isPretty = shop.prettyPermalinks && (rawPath === '/wp-json' || rawPath.startsWith('/wp-json/'))
  const plain = asText(query.rest_route)
  if (!isPretty && plain === undefined) return null
  const route = (isPretty ? rawPath.slice('/wp-json'.length) : plain!)
    .replace(/(?<!\/)\/+$/, '')
    .replace(/^\/wc\/v2\//, '/wc/v3/')
  const common = { method: request.method, rawPath, query, rawBody: '', headers: request.headers, ip: request.ip }
  return { ...common, route, readsKeys: isPretty }
}

async function answer(shop: Shop, wire: HttpCall, reply: FastifyReply) {
  const isShopper = wire.route.startsWith('/wc/store/')
  const result: HttpReply = await (isShopper ? answerStoreApi(shop, wire) : answerRest(shop, routes, wire))
  for (const cookie of result.cookies) reply.header('set-cookie', cookie)
  reply.code(result.status).headers(result.headers)
  await reply.send(JSON.stringify(result.body))
}
