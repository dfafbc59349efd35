// The frame of every page. Pages of the theme carry what the owner pasted into theme.liquid; the checkout is Shopify's own and carries
// nothing of it.
import { esc } from '../../store/pages/layout.ts'
import { readMeta, writeMeta } from '../records.ts'
import { type Shop, storeName, storeTagline } from '../shop.ts'
import type { View } from './visit.ts'

export interface Page {
  title: string
  body: string
  path?: string
  /** The checkout, or the staff's pages: not part of the theme. */
  isOutsideTheme?: boolean
}

/** Before </head> of theme.liquid. */
export const readThemeHead = ({ db }: Shop) => readMeta(db, 'theme_head') ?? ''

export const writeThemeHead = ({ db }: Shop, html: string) => writeMeta(db, 'theme_head', html)

export function renderPage(view: View, page: Page): string {
  const { shop, cart } = view
  const count = cart?.lines.reduce((sum, { quantity }) => sum + quantity, 0) ?? 0
  const current = (path: string) => (page.path === path ? ' aria-current="page"' : '')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${esc(page.title)} – ${esc(storeName)}</title>
<meta name="description" content="${esc(storeTagline)}"><meta name="color-scheme" content="light dark">
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/shop.css">
<script src="/assets/shop.js" defer></script>
${page.isOutsideTheme ? '' : readThemeHead(shop)}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top"><div class="wide top-row">
<a class="brand" href="/" aria-label="${esc(storeName)}, home">${logo}<span>${esc(storeName)}</span></a>
<nav aria-label="Main"><a href="/collections/all"${current('shop')}>Shop</a>
<a class="cart-link" href="/cart"${current('cart')}>Cart <span class="count" data-cart-count>${count}</span></a></nav>
</div></header>
<main id="content" class="wide" tabindex="-1">
<div class="bar error" role="alert" data-error${view.error ? '' : ' hidden'}>${esc(view.error ?? '')}</div>
<div class="bar notice" role="status" data-notice${view.notice ? '' : ' hidden'}>${esc(view.notice ?? '')}</div>
${page.body}
</main>
<footer class="bottom"><div class="wide"><p>${esc(storeName)} is a demo store: nothing is charged, nothing is shipped.</p>
<p><a href="/admin">Store admin</a></p>
<form method="post" action="/forget-me"><button class="plain" type="submit">New shopper (forget me)</button></form></div></footer>
</body>
</html>`
}

export const money = (minor: number) => `$${(minor / 100).toFixed(2)}`

export const logo = `<svg viewBox="0 0 40 40" width="32" height="32" aria-hidden="true"><circle cx="20" cy="20" r="20" fill="#2f5d3a"/>
<path d="M20 32V14" stroke="#f4efe1" stroke-width="2.4" stroke-linecap="round"/><path d="M20 20c-7 0-9-4-9-9 6 0 9 3 9 9zM20 25c6 0 8-4 8-8-5 0-8 3-8 8z" fill="#f4efe1"/></svg>`
