// Home, shop grid and product page.
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../../shop-page.ts'
import { getStockLimit } from '../cart.ts'
import {
  buildPictureUrl,
  encodeOption,
  findProductBySlug,
  getOptionText,
  isInStock,
  listProducts,
  listVariations,
  type Product,
  priceMinor,
} from '../catalog.ts'
import { asText } from '../php.ts'
import { formatPrice } from '../pricing.ts'
import type { Shop } from '../shop.ts'
import { renderName } from './layout.ts'
import { show, type View } from './visit.ts'

export function renderHomePage(view: View): FastifyReply {
  const picks = listShopProducts(view.shop).slice(0, 8)
  const body = `<section class="hero">
  <div><h1>Slow mornings, well made.</h1>
  <p>Loose-leaf tea, fresh-roasted coffee and pots thrown by hand in Burlington, Vermont.</p>
  <a class="button" href="/shop/">Shop everything</a></div>
  <img src="/wp-content/uploads/2026/11/teapot.jpg" alt="" width="420" height="420">
</section>
<h2>From the shelves</h2>${renderGrid(view.shop, picks)}`
  return show(view, { title: 'Home', body })
}

export function renderShopPage(view: View): FastifyReply {
  const all = listShopProducts(view.shop)
  const shelf = asText(view.query.shelf)
  const shelves = [...new Set(all.flatMap(({ categories }) => categories.map(({ name }) => name)))].toSorted()
  const products = shelf ? all.filter(({ categories }) => categories.some(({ slug }) => slug === shelf)) : all
  const renderTab = (slug: string, name: string) =>
    `<a href="/shop/${slug ? `?shelf=${slug}` : ''}"${slug === (shelf ?? '') ? ' aria-current="page"' : ''}>${name}</a>`
  const tabs = [renderTab('', 'All'), ...shelves.map((name) => renderTab(name.toLowerCase(), escapeHtml(name)))]
  const body = `<h1>Shop</h1><nav class="tabs" aria-label="Shelves">${tabs.join('')}</nav>${renderGrid(view.shop, products)}`
  return show(view, { title: 'Shop', body, path: 'shop' })
}

export function renderProductPage(view: View, slug: string): FastifyReply | null {
  const { shop, query } = view
  const product = findProductBySlug(shop, slug)
  if (!product) return null
  const variations = listVariations(shop, product)
  const requested = variations.find(({ options }) =>
    options.every(({ slug: name, option }) => asText(query[`attribute_${name}`]) === encodeOption(name, option)),
  )
  const chosen = requested ?? variations.find((variation) => isInStock(shop, variation)) ?? product
  const picture = chosen.pictures[0] ?? product.pictures[0]!
  const body = `<nav class="crumbs" aria-label="Breadcrumb"><a href="/shop/">Shop</a> / <span>${renderName(product.name)}</span></nav>
<article class="product">
  <img class="big" data-picture src="${buildPictureUrl(shop, picture)}" alt="${renderName(product.name)}" width="600" height="600">
  <div class="about">
    <p class="shelf">${product.categories.map(({ name }) => escapeHtml(name)).join(', ')}</p>
    <h1>${renderName(product.name)}</h1>
    <p class="price" data-price>${priceTag(shop, chosen)}</p>
    ${product.shortDescription}
    ${buyForm(shop, product, variations, chosen)}
    <p class="stock" data-stock>${getStockText(shop, chosen)}</p>
    <div class="long">${product.description}</div>
    <p class="sku">SKU <span data-sku>${escapeHtml(chosen.sku)}</span></p>
  </div>
</article>`
  const facts = { variations: variations.map((variation) => buildVariationFacts(shop, variation)) }
  return show(view, { title: product.name.replace('&amp;', '&'), body, facts })
}

function buyForm(shop: Shop, product: Product, variations: Product[], chosen: Product): string {
  if (!isInStock(shop, product)) return '<p class="sold-out">Sold out</p>'
  const picks = variations.length ? renderGlazePicker(shop, product, variations, chosen) : ''
  return `<form class="buy" method="get" action="/product/${product.slug}/" data-add-to-cart data-product="${product.id}">
  <input type="hidden" name="add-to-cart" value="${product.id}">${picks}
  <label for="quantity">Quantity</label>
  <div class="buy-row"><input id="quantity" name="quantity" type="number" inputmode="numeric" min="1" max="${getStockLimit(chosen)}" value="1" required>
  <button class="button" type="submit">Add to cart</button></div></form>`
}

function renderGlazePicker(shop: Shop, product: Product, variations: Product[], chosen: Product): string {
  const { slug, name } = product.attributes[0]!
  const options = variations.map((variation) => {
    const { option } = variation.options[0]!
    const off = isInStock(shop, variation) ? '' : ' disabled'
    const on = variation.id === chosen.id ? ' checked' : ''
    return `<label class="pick"><input type="radio" name="attribute_${slug}" value="${escapeHtml(encodeOption(slug, option))}" data-variation="${variation.id}"${on}${off}>
  <img src="${buildPictureUrl(shop, variation.pictures[0]!, '-100x100')}" alt="" width="44" height="44"> ${escapeHtml(option)}</label>`
  })
  return `<fieldset class="picks"><legend>${escapeHtml(name)}</legend>${options.join('')}</fieldset>`
}

function buildVariationFacts(shop: Shop, variation: Product) {
  return {
    id: variation.id,
    name: getOptionText(variation),
    sku: variation.sku,
    price: priceTag(shop, variation),
    stock: getStockText(shop, variation),
    picture: buildPictureUrl(shop, variation.pictures[0]!),
  }
}

function listShopProducts(shop: Shop): Product[] {
  return listProducts(shop)
    .filter(({ status }) => status === 'publish')
    .toReversed()
}

function renderGrid(shop: Shop, products: Product[]): string {
  return `<ul class="grid">${products.map((product) => renderCard(shop, product)).join('')}</ul>`
}

function renderCard(shop: Shop, product: Product): string {
  const isHere = isInStock(shop, product)
  const badge = !isHere
    ? '<span class="badge">Sold out</span>'
    : isOnSale(shop, product)
      ? '<span class="badge sale">Sale</span>'
      : ''
  const from =
    product.type === 'variable' ? `From ${formatPrice(shop, priceMinor(shop, product))}` : priceTag(shop, product)
  const quick =
    product.type === 'simple' && isHere
      ? `<button class="button small" type="button" data-quick-add="${product.id}" aria-label="Add ${renderName(product.name)} to cart">Add to cart</button>`
      : `<a class="button small quiet" href="/product/${product.slug}/" aria-label="${isHere ? 'Choose' : 'See'} ${renderName(product.name)}">${isHere ? 'Choose' : 'See'}</a>`
  return `<li class="card"><a href="/product/${product.slug}/"><img src="${buildPictureUrl(shop, product.pictures[0]!)}" alt="" width="300" height="300" loading="lazy">${badge}
<span class="name">${renderName(product.name)}</span></a><div class="card-row"><span class="price">${from}</span>${quick}</div></li>`
}

function isOnSale(shop: Shop, product: Product): boolean {
  return product.saleMinor !== null || listVariations(shop, product).some(({ saleMinor }) => saleMinor !== null)
}

function priceTag(shop: Shop, product: Product): string {
  if (product.saleMinor === null) return formatPrice(shop, product.regularMinor ?? 0)
  return `<del><span class="hidden">Was </span>${formatPrice(shop, product.regularMinor ?? 0)}</del> <ins><span class="hidden">now </span>${formatPrice(shop, product.saleMinor)}</ins>`
}

function getStockText(shop: Shop, product: Product): string {
  if (!isInStock(shop, product)) return 'Out of stock'
  return product.stock === null ? 'In stock' : `${product.stock} left`
}
