// Home, collection and product pages.
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../../shop-page.ts'
import { buildPictureUrl, isForSale } from '../graphql/products.ts'
import type { Product, Variant } from '../model.ts'
import { findByKey, listAll, listByOwner } from '../records.ts'
import type { Shop } from '../shop.ts'
import { formatMoney } from './layout.ts'
import { show, type View } from './visit.ts'

export function renderHomePage(view: View): FastifyReply {
  const picks = listActiveProducts(view.shop).slice(0, 8)
  const body = `<section class="hero"><div><h1>Everything small gardens need.</h1>
<p>Seeds, bulbs and tools from Portland, Oregon, packed by people who garden.</p>
<a class="button" href="/collections/all">Shop everything</a></div>
<img src="/cdn/shop/files/wateringCan.jpg" alt="" width="420" height="420"></section>
<h2>From the potting shed</h2>${renderGrid(view.shop, picks)}`
  return show(view, { title: 'Home', body })
}

export function renderCollectionPage(view: View): FastifyReply {
  const all = listActiveProducts(view.shop)
  const type = view.query.get('type') ?? ''
  const renderTab = (name: string) =>
    `<a href="/collections/all${name ? `?type=${name}` : ''}"${name === type ? ' aria-current="page"' : ''}>${name || 'All'}</a>`
  const types = [...new Set(all.map(({ productType }) => productType))].toSorted()
  const products = type ? all.filter(({ productType }) => productType === type) : all
  const tabs = ['', ...types].map(renderTab).join('')
  const body = `<h1>Shop</h1><nav class="tabs" aria-label="Kinds of goods">${tabs}</nav>${renderGrid(view.shop, products)}`
  return show(view, { title: 'Shop', body, path: 'shop' })
}

export function renderProductPage(view: View, handle: string): FastifyReply | null {
  const { shop } = view
  const product = findByKey(shop.db, 'product', handle)
  if (product?.status !== 'ACTIVE') return null
  const variants = listByOwner(shop.db, 'variant', product.id)
  const chosen = variants.find((variant) => isForSale(product, variant)) ?? variants[0]!
  const body = `<nav class="crumbs" aria-label="Breadcrumb"><a href="/collections/all">Shop</a> / <span>${escapeHtml(product.title)}</span></nav>
<article class="product"><img class="big" src="${buildPictureUrl(shop, product.picture)}" alt="${escapeHtml(product.title)}" width="600" height="600">
<div class="about"><p class="shelf">${escapeHtml(product.productType)}</p><h1>${escapeHtml(product.title)}</h1>
<p class="price">${priceTag(chosen)}</p><p>${escapeHtml(product.description)}</p>
${buyForm(product, variants, chosen)}<p class="sku">SKU ${escapeHtml(chosen.sku)}</p></div></article>`
  return show(view, { title: product.title, body })
}

function buyForm(product: Product, variants: Variant[], chosen: Variant): string {
  if (!isForSale(product, chosen)) return '<p class="sold-out">Sold out</p>'
  return `<form class="buy" method="post" action="/cart/add" data-add-to-cart>${product.optionName ? renderChoices(product, variants, chosen) : `<input type="hidden" name="id" value="${chosen.id}">`}
<label for="quantity">Quantity</label><div class="buy-row">
<input id="quantity" name="quantity" type="number" inputmode="numeric" min="1" max="${chosen.stock ?? 999}" value="1" required>
<button class="button" type="submit">Add to cart</button></div></form>`
}

function renderChoices(product: Product, variants: Variant[], chosen: Variant): string {
  const pick = (variant: Variant) => {
    const isHere = isForSale(product, variant)
    return `<label class="pick"><input type="radio" name="id" value="${variant.id}"${variant.id === chosen.id ? ' checked' : ''}${isHere ? '' : ' disabled'}> ${escapeHtml(variant.title)} ${formatMoney(variant.priceMinor)}${isHere ? '' : ' (sold out)'}</label>`
  }
  return `<fieldset class="picks"><legend>${escapeHtml(product.optionName ?? '')}</legend>${variants.map(pick).join('')}</fieldset>`
}

const listActiveProducts = ({ db }: Shop) => listAll(db, 'product').filter(({ status }) => status === 'ACTIVE')

const renderGrid = (shop: Shop, products: Product[]) =>
  `<ul class="grid">${products.map((product) => renderCard(shop, product)).join('')}</ul>`

function renderCard(shop: Shop, product: Product): string {
  const variants = listByOwner(shop.db, 'variant', product.id)
  const isHere = variants.some((variant) => isForSale(product, variant))
  const cheapest = variants.toSorted((a, b) => a.priceMinor - b.priceMinor)[0]!
  const badge = !isHere
    ? '<span class="badge">Sold out</span>'
    : cheapest.compareAtMinor
      ? '<span class="badge sale">Sale</span>'
      : ''
  const from = variants.length > 1 ? `From ${formatMoney(cheapest.priceMinor)}` : priceTag(cheapest)
  return `<li class="card"><a href="/products/${product.handle}"><img src="${buildPictureUrl(shop, product.picture)}" alt="" width="300" height="300" loading="lazy">${badge}
<span class="name">${escapeHtml(product.title)}</span></a><div class="card-row"><span class="price">${from}</span></div></li>`
}

function priceTag({ priceMinor, compareAtMinor }: Variant): string {
  if (compareAtMinor === null) return formatMoney(priceMinor)
  return `<del><span class="hidden">Was </span>${formatMoney(compareAtMinor)}</del> <ins><span class="hidden">now </span>${formatMoney(priceMinor)}</ins>`
}
