// The frame of demo store pages, and HTML helpers. Text is escaped only here.

/** Escapes plain text for HTML, attributes included. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
}

export interface ShopFrame {
  name: string
  tagline: string
  /** An SVG. */
  logo: string
  /** Additional HTML in every page's head. */
  head: string
  bodyClass: string
  addresses: { shop: string; cart: string; forget: string }
  /** Links in the footer. */
  footerLinks: string
}

export interface PageContent {
  title: string
  /** HTML, like the next two. */
  body: string
  notice?: string | undefined
  error?: string | undefined
  /** Number of items in the cart. */
  count: number
  /** The active link of the header: `shop` or `cart`. */
  path?: string | undefined
}

export function renderFrame(front: ShopFrame, page: PageContent): string {
  const { addresses } = front
  const name = escapeHtml(front.name)
  const current = (path: string) => (page.path === path ? ' aria-current="page"' : '')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} – ${name}</title>
<meta name="description" content="${escapeHtml(front.tagline)}"><meta name="color-scheme" content="light dark">
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
${front.head}
</head>
<body class="${front.bodyClass}">
<a class="skip" href="#content">Skip to content</a>
<header class="top">
  <div class="wide top-row">
    <a class="brand" href="/" aria-label="${name}, home">${front.logo}<span>${name}</span></a>
    <nav aria-label="Main">
      <a href="${addresses.shop}"${current('shop')}>Shop</a>
      <a class="cart-link" href="${addresses.cart}"${current('cart')}>Cart <span class="count" data-cart-count>${page.count}</span></a>
    </nav>
  </div>
</header>
<main id="content" class="wide" tabindex="-1">
<div class="bar error" role="alert" data-error${page.error ? '' : ' hidden'}>${page.error ?? ''}</div>
<div class="bar notice" role="status" data-notice${page.notice ? '' : ' hidden'}>${page.notice ?? ''}</div>
${page.body}
</main>
<footer class="bottom">
  <div class="wide">
    <p>${name} is a demo store: nothing is charged, nothing is shipped.</p>
    <p>${front.footerLinks}</p>
    <form method="post" action="${addresses.forget}"><button class="plain" type="submit">New shopper (forget me)</button></form>
  </div>
</footer>
</body>
</html>`
}

const US_STATES =
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'

export function stateOptions(chosen: string): string {
  const options = US_STATES.split(' ').map((code) => `<option${code === chosen ? ' selected' : ''}>${code}</option>`)
  return options.join('')
}
