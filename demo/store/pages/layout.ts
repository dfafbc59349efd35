// The frame of every page, and the few words of HTML all of them use. Text is escaped here and nowhere else.
import { decode } from 'html-entities'
import { readCapture } from '../capture.ts'
import { readPushHost } from '../push.ts'
import { type Shop, storeName, storeTagline } from '../shop.ts'

export type Page = {
  title: string
  body: string
  cartCount: number
  /** Said in a status bar above the content. */
  notice?: string | undefined
  error?: string | undefined
  /** For the page's own script: read from <script type="application/json" id="page-facts">. */
  facts?: unknown
  path?: string
}

/** Escapes plain text for HTML, attributes included. */
export function esc(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
}

/** Names are kept as HTML by WordPress: decoded first, so that a stray quote can't leave its attribute. */
export function nameHtml(name: string): string {
  return esc(decode(name))
}

export function renderPage(shop: Shop, page: Page): string {
  const capture = readCapture(shop)
  const script = capture
    ? `<script src="${esc(capture.scriptUrl)}" data-store="${esc(capture.storeKey)}" defer></script>`
    : ''
  const push = readPushHost(shop)
  const facts = JSON.stringify(page.facts ?? {}).replaceAll('<', '\\u003c')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${esc(page.title)} – ${esc(storeName)}</title>
<meta name="description" content="${esc(storeTagline)}"><meta name="color-scheme" content="light dark">
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="https://api.w.org/" href="${shop.home}/wp-json/">
<link rel="stylesheet" href="/assets/store.css">
<script type="application/json" id="page-facts">${facts}</script>
<script src="/assets/store.js" defer></script>
${script}
${push?.head ?? ''}
</head>
<body class="woocommerce">
<a class="skip" href="#content">Skip to content</a>
<header class="top">
  <div class="wide top-row">
    <a class="brand" href="/" aria-label="${esc(storeName)}, home">${logo}<span>${esc(storeName)}</span></a>
    <nav aria-label="Main">
      <a href="/shop/"${page.path === 'shop' ? ' aria-current="page"' : ''}>Shop</a>
      <a class="cart-link" href="/cart/"${page.path === 'cart' ? ' aria-current="page"' : ''}>Cart <span class="count" data-cart-count>${page.cartCount}</span></a>
    </nav>
  </div>
</header>
<main id="content" class="wide" tabindex="-1">
<div class="bar error" role="alert" data-error${page.error ? '' : ' hidden'}>${page.error ?? ''}</div>
<div class="bar notice" role="status" data-notice${page.notice ? '' : ' hidden'}>${page.notice ?? ''}</div>
${page.body}
${push?.body ?? ''}
</main>
${footer}
</body>
</html>`
}

const footer = `<footer class="bottom">
  <div class="wide">
    <p>${esc(storeName)} is a demo store: nothing is charged, nothing is shipped.</p>
    <p><a href="/my-visits/">My visits</a> <a href="/wp-admin/">Store admin</a></p>
    <form method="post" action="/forget-me/"><button class="plain" type="submit">New shopper (forget me)</button></form>
  </div>
</footer>`

export const logo = `<svg viewBox="0 0 40 40" width="32" height="32" aria-hidden="true"><circle cx="20" cy="20" r="20" fill="#b4532f"/>
<path d="M20 7l3 6 6-2-2 7 5 2-7 4 1 5-6-2-6 2 1-5-7-4 5-2-2-7 6 2z" fill="#fbeed8"/><path d="M19 27h2v7h-2z" fill="#fbeed8"/></svg>`

const states =
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'

export function stateOptions(chosen: string): string {
  const options = states.split(' ').map((code) => `<option${code === chosen ? ' selected' : ''}>${code}</option>`)
  return options.join('')
}
