import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { LOGO_PATH, logoType } from './own-name.ts'
import { appPage, chooseEncoding, landingGate, landingPage, type PublicPage, robotsTxt, sitemapXml } from './site.ts'

/**
 * Returns how the app's pages are sent. `pages`: the folder of the built browser app; `npm run dev` has none and serves its
 * own landing page.
 */
export function siteRoutes(app: FastifyInstance, { config }: Pick<Deps, 'config'>, pages: string): SendApp {
  const sendApp = createSendApp({ config }, pages)
  if (config.instanceLogo) serveLogo(app, config.instanceLogo)
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
      if (url === '/' && request.url.includes('?')) return sendApp(request, reply)
      page ??= make()
      return answer(request, reply, await page)
    })
  }
  return sendApp
}

const APP_PAGES = ['index.html', 'shopper.html'] as const

export type SendApp = (request: FastifyRequest, reply: FastifyReply, page?: (typeof APP_PAGES)[number]) => unknown

/** Sends the app's HTML page, for any address but those of the shopper's pages, which have their own. */
function createSendApp({ config }: Pick<Deps, 'config'>, pages: string): SendApp {
  const own = new Map(
    APP_PAGES.filter((name) => existsSync(path.join(pages, name))).map((name) => [
      name,
      appPage(readFileSync(path.join(pages, name), 'utf8'), config),
    ]),
  )
  return async (request, reply, name = 'index.html') => {
    // Error pages must not be cached, or a revalidation could answer "unchanged".
    const isThere = reply.statusCode === 200
    const page = await own.get(name)
    if (page) return answer(request, reply, isThere ? page : { ...page, etag: null })
    return reply.header('cache-control', 'no-cache').sendFile(name, isThere ? {} : { etag: false, lastModified: false })
  }
}

/** Opened by itself, an SVG is a page: it may run nothing. */
const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

function serveLogo(app: FastifyInstance, file: string): void {
  const logo = readFileSync(file)
  app.get(LOGO_PATH, (_request, reply) =>
    reply
      .headers({ 'cache-control': 'public, max-age=3600', 'content-security-policy': LOGO_POLICY })
      .type(logoType(file))
      .send(logo),
  )
}

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Omit<PublicPage, 'etag'> & { etag: string | null },
) {
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  const etag = page.etag && `"${page.etag}-${encoding}"`
  reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding', ...(etag && { etag }) })
  if (page.policy) reply.header('content-security-policy', page.policy)
  if (etag && request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(page.type).send(page.bodies[encoding])
}
