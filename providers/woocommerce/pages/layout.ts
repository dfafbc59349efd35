// The frame of every page.
import { decode } from 'html-entities'
import { escapeHtml, renderFrame, type ShopFrame } from '../../shop-page.ts'
import { readCapture } from '../capture.ts'
import { readPushHost } from '../push.ts'
import { type Shop, storeName, storeTagline } from '../shop.ts'

export type Page = {
  title: string
  body: string
  /** Number of items in the cart. */
  count: number
  /** Notice above the content. */
  notice?: string | undefined
  error?: string | undefined
  /** Data for the page's script, in <script type="application/json" id="page-facts">. */
  facts?: unknown
  path?: string
}

/** Names are HTML in WordPress. Decodes them first, so that a quote cannot end its attribute. */
export function renderName(name: string): string {
  return escapeHtml(decode(name))
}

export function renderPage(shop: Shop, page: Page): string {
  const capture = readCapture(shop)
  const script = capture
    ? `<script src="${escapeHtml(capture.scriptUrl)}" data-store="${escapeHtml(capture.storeKey)}" defer></script>`
    : ''
  const push = readPushHost(shop)
  const facts = JSON.stringify(page.facts ?? {}).replaceAll('<', '\\u003c')
  const front: ShopFrame = {
    name: storeName,
    tagline: storeTagline,
    logo,
    bodyClass: 'woocommerce',
    head: `<link rel="https://api.w.org/" href="${shop.home}/wp-json/">
<link rel="stylesheet" href="/assets/store.css">
<script type="application/json" id="page-facts">${facts}</script>
<script src="/assets/store.js" defer></script>
${script}
${push?.head ?? ''}`,
    addresses: { shop: '/shop/', cart: '/cart/', forget: '/forget-me/' },
    footerLinks: '<a href="/my-visits/">My visits</a> <a href="/wp-admin/">Store admin</a>',
  }
  return renderFrame(front, { ...page, body: `${page.body}\n${push?.body ?? ''}` })
}

export const logo = `<svg viewBox="0 0 40 40" width="32" height="32" aria-hidden="true"><circle cx="20" cy="20" r="20" fill="#b4532f"/>
<path d="M20 7l3 6 6-2-2 7 5 2-7 4 1 5-6-2-6 2 1-5-7-4 5-2-2-7 6 2z" fill="#fbeed8"/><path d="M19 27h2v7h-2z" fill="#fbeed8"/></svg>`
