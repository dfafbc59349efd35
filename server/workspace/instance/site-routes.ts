import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { chooseEncoding, landingGate, landingPage, type PublicPage, robotsTxt, sitemapXml } from './site.ts'

/** `pages`: the folder of the built browser app; `npm run dev` has none and serves its own landing page. */
export function siteRoutes(app: FastifyInstance, { config }: Pick<Deps, 'config'>, pages: string): void {
  const makers: Record<string, () => Promise<PublicPage>> = {
    '/robots.txt': () => robotsTxt(config),
    '/sitemap.xml': () => sitemapXml(config),
  }
  if (existsSync(path.join(pages, 'landing-gate.html'))) {
    const built = (name: string) => readFileSync(path.join(pages, name), 'utf8')
    makers['/landing.html'] = () => landingPage(built('landing.html'), config)
    makers['/'] = () => landingPage(built('landing-front.html'), config)
    makers['/landing'] = () => landingGate(built('landing-gate.html'), built('landing.html'), config)
  }
  for (const [url, make] of Object.entries(makers)) {
    let page: Promise<PublicPage> | undefined
    app.get(url, async (request, reply) => {
      // `/` with a query belongs to the app: the landing gate sends visitors with a token there.
      if (url === '/' && request.url.includes('?')) return sendApp(reply)
      page ??= make()
      return answer(request, reply, await page)
    })
  }
}

/** The app's HTML page, for any address but those of the shopper's pages, which have their own. */
export function sendApp(reply: FastifyReply, page: 'index.html' | 'shopper.html' = 'index.html') {
  // Error pages must not be cached, or a revalidation could answer "unchanged".
  const isThere = reply.statusCode === 200
  return reply.header('cache-control', 'no-cache').sendFile(page, isThere ? {} : { etag: false, lastModified: false })
}

function answer(request: FastifyRequest, reply: FastifyReply, page: PublicPage) {
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  const etag = `"${page.etag}-${encoding}"`
  reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding', etag })
  if (page.policy) reply.header('content-security-policy', page.policy)
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(page.type).send(page.bodies[encoding])
}
