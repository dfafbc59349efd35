// Theme pages contain the code that the owner pasted into theme.liquid. The checkout is Shopify's own and does not.
import { escapeHtml, renderFrame, type ShopFrame } from '../../shop-page.ts'
import { readMeta, writeMeta } from '../records.ts'
import { type Shop, storeName, storeTagline } from '../shop.ts'
import type { View } from './visit.ts'

export interface Page {
  title: string
  body: string
  path?: string
  /** Checkout or admin page, not part of the theme. */
  isOutsideTheme?: boolean
}

/** Code before </head> in theme.liquid. */
export const readThemeHead = ({ db }: Shop) => readMeta(db, 'theme_head') ?? ''

export const writeThemeHead = ({ db }: Shop, html: string) => writeMeta(db, 'theme_head', html)

export function renderPage(view: View, page: Page): string {
  const { shop, cart, error, notice } = view
  const front: ShopFrame = {
    name: storeName,
    tagline: storeTagline,
    logo,
    bodyClass: '',
    head: `<link rel="stylesheet" href="/assets/shop.css">
<script src="/assets/shop.js" defer></script>
${page.isOutsideTheme ? '' : readThemeHead(shop)}`,
    addresses: { shop: '/collections/all', cart: '/cart', forget: '/forget-me' },
    footerLinks: '<a href="/admin">Store admin</a>',
  }
  return renderFrame(front, {
    title: page.title,
    body: page.body,
    path: page.path,
    count: cart?.lines.reduce((sum, { quantity }) => sum + quantity, 0) ?? 0,
    error: error && escapeHtml(error),
    notice: notice && escapeHtml(notice),
  })
}

export const formatMoney = (minor: number) => `$${(minor / 100).toFixed(2)}`

export const logo = `<svg viewBox="0 0 40 40" width="32" height="32" aria-hidden="true"><circle cx="20" cy="20" r="20" fill="#2f5d3a"/>
<path d="M20 32V14" stroke="#f4efe1" stroke-width="2.4" stroke-linecap="round"/><path d="M20 20c-7 0-9-4-9-9 6 0 9 3 9 9zM20 25c6 0 8-4 8-8-5 0-8 3-8 8z" fill="#f4efe1"/></svg>`
