import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { Liquid } from 'liquidjs'
import { findSeller } from '../../billing/billing/public.ts'
import type { Config } from '../../core/config/public.ts'
import { applyOwnName } from './own-name.ts'

// Public pages: the landing page, which the build leaves as a template, robots.txt and the sitemap. They depend only on
// the instance, so each is rendered once.

type Encoding = 'br' | 'gzip' | 'identity'

export interface PublicPage {
  type: string
  bodies: Record<Encoding, Buffer>
  /** Of the text; each encoding has its own. */
  etag: string
  /** Content security policy, stricter than that of the app. */
  policy?: string
}

/** Pages for search engines. */
const FOUND_BY_SEARCH = ['/landing.html', '/how-we-test', '/terms', '/privacy']
/** Personal links, and endpoints that are not pages. */
const NOT_FOR_ROBOTS = [
  '/api/',
  '/c/',
  '/u/',
  '/cart/recover',
  '/unsubscribe',
  '/preferences',
  '/reset-password',
  '/test',
]

const liquid = new Liquid({ outputEscape: 'escape' })

/** `template`: `landing.html` of the build. */
export function landingPage(template: string, config: Config): Promise<PublicPage> {
  return withPolicy(renderTemplate(template, config))
}

/** The page at `/landing`, which replaces itself by the landing page under its own policy. */
export function landingGate(gate: string, template: string, config: Config): Promise<PublicPage> {
  return withPolicy(gate, renderTemplate(template, config))
}

function renderTemplate(template: string, config: Config): string {
  const { publicUrl: origin, companyName: company, supportEmail: support, isDemo: hasDemo } = config
  const seller = findSeller(config)
  const isTestBilling = seller === 'test'
  // As Pricing shows an account without a provider of its own.
  const hasCredits = seller !== 'none' && (config.operatorTexts !== null || (isTestBilling && config.isLocal))
  const billing = { isSold: seller !== 'none', isTestBilling, hasCredits }
  return applyOwnName(liquid.parseAndRenderSync(template, { origin, company, support, hasDemo, ...billing }), config)
}

/** Allows resources of this server, and inline scripts and styles only from the page or from `further`. */
async function withPolicy(page: string, ...further: string[]): Promise<PublicPage> {
  const allowed = (tag: string) =>
    [page, ...further]
      // Bounded: these are our own built pages.
      .flatMap((text) => [...text.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))])
      .map(([, inside]) => ` 'sha256-${sha256(inside!, 'base64')}'`)
      .join('')
  const policy = `default-src 'none'; script-src 'self'${allowed('script')}; style-src 'self'${allowed('style')}; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`
  return { ...(await compressPage('text/html; charset=utf-8', page)), policy }
}

/** A page of the app with the instance's own name; null: the built file serves as it is. */
export function appPage(built: string, config: Config): Promise<PublicPage> | null {
  const page = applyOwnName(built, config)
  return page === built ? null : compressPage('text/html; charset=utf-8', page)
}

export function robotsTxt({ publicUrl }: Config): Promise<PublicPage> {
  const lines = ['User-agent: *', ...NOT_FOR_ROBOTS.map((path) => `Disallow: ${path}`)]
  return compressPage('text/plain; charset=utf-8', `${lines.join('\n')}\n\nSitemap: ${publicUrl}/sitemap.xml\n`)
}

export function sitemapXml({ publicUrl }: Config): Promise<PublicPage> {
  const entries = FOUND_BY_SEARCH.map((path) => `<url><loc>${publicUrl}${path}</loc></url>`)
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>\n`
  return compressPage('application/xml; charset=utf-8', text)
}

/** The best accepted encoding; `q=0` excludes one. */
export function chooseEncoding(accepted: string | undefined): Encoding {
  const named = (accepted ?? '').split(',').map((each) => each.trim().toLowerCase())
  const takes = (name: string) => named.some((each) => each.split(';')[0] === name && !/;\s*q=0(\.0*)?$/.test(each))
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : 'identity'
}

async function compressPage(type: string, text: string): Promise<PublicPage> {
  const identity = Buffer.from(text)
  const [br, gz] = await Promise.all([promisify(brotliCompress)(identity), promisify(gzip)(identity)])
  return { type, bodies: { br, gzip: gz, identity }, etag: sha256(text, 'base64url').slice(0, 22) }
}

const sha256 = (text: string, form: 'base64' | 'base64url') => createHash('sha256').update(text).digest(form)
