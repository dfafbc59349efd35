// Products and variations, stored as JSON documents and serialized for wc/v3. Stock states: instock, outofstock.
import { formatBothTimes } from './clock.ts'
import { findCurrency, formatAmount } from './pricing.ts'
import { buildLinks } from './rest.ts'
import { readSeconds, type Shop } from './shop.ts'
import { run, selectAll, selectOne } from './sqlite.ts'
import { announce } from './webhooks.ts'

export type Picture = { id: number; file: string }
export type Attribute = { id: number; name: string; slug: string; options: string[] }
export type Option = { id: number; name: string; slug: string; option: string }
export type Product = {
  id: number
  parentId: number
  type: 'simple' | 'variable' | 'variation'
  status: 'publish' | 'draft'
  /** HTML, as WordPress stores it: "Tea &amp; Biscuits". */
  name: string
  slug: string
  sku: string
  description: string
  shortDescription: string
  /** Minor units; with a fraction if the owner entered more digits than the currency has. */
  regularMinor: number | null
  saleMinor: number | null
  /** null: stock is not managed. */
  stock: number | null
  isSoldOut: boolean
  categories: { id: number; name: string; slug: string }[]
  pictures: Picture[]
  attributes: Attribute[]
  options: Option[]
  variations: number[]
  weight: string
  menuOrder: number
  totalSales: number
  createdAt: number
  modifiedAt: number
}

export function saveProduct(shop: Shop, product: Product) {
  const sql = `insert into products (id, parent_id, status, slug, sku, doc) values (?, ?, ?, ?, ?, ?)
    on conflict (id) do update set status = excluded.status, slug = excluded.slug, sku = excluded.sku, doc = excluded.doc`
  const { id, parentId, status, slug, sku } = product
  run(shop.db, sql, id, parentId, status, slug, sku, JSON.stringify(product))
}

export function findProduct(shop: Shop, id: number): Product | undefined {
  return readProduct(selectOne<{ doc: string }>(shop.db, 'select doc from products where id = ?', id))
}

export function findProductBySlug(shop: Shop, slug: string): Product | undefined {
  const sql = `select doc from products where slug = ? and parent_id = 0 and status = 'publish'`
  return readProduct(selectOne<{ doc: string }>(shop.db, sql, slug))
}

/** Newest first, without variations, as product lists show them. */
export function listProducts(shop: Shop): Product[] {
  const rows = selectAll<{ doc: string }>(shop.db, 'select doc from products where parent_id = 0 order by id desc')
  return rows.map((row) => readProduct(row)!)
}

export function listVariations(shop: Shop, parent: Product): Product[] {
  return parent.variations.flatMap((id) => findProduct(shop, id) ?? [])
}

export function priceMinor(shop: Shop, product: Product): number {
  if (product.type !== 'variable') return product.saleMinor ?? product.regularMinor ?? 0
  return Math.min(...listVariations(shop, product).map((variation) => priceMinor(shop, variation)))
}

export function isInStock(shop: Shop, product: Product): boolean {
  if (product.type === 'variable') return listVariations(shop, product).some((variation) => isInStock(shop, variation))
  return !product.isSoldOut && (product.stock === null || product.stock > 0)
}

/** Reduces (positive) or restores (negative) stock. A managed product then sends product.updated. */
export function changeStock(shop: Shop, productId: number, quantity: number): boolean {
  const product = findProduct(shop, productId)
  if (!product) return false
  const isManaged = product.stock !== null
  const stock = isManaged ? product.stock! - quantity : null
  const totalSales = product.totalSales + quantity
  saveProduct(shop, { ...product, stock, totalSales, modifiedAt: isManaged ? readSeconds(shop) : product.modifiedAt })
  if (isManaged) announce(shop, 'product.updated', product.id)
  return isManaged
}

export function buildFullName(product: Product, parent: Product | undefined): string {
  return product.type === 'variation' && parent ? `${parent.name} - ${getOptionText(product)}` : product.name
}

export function getOptionText(product: Product): string {
  return product.options.map(({ option }) => option).join(', ')
}

export function buildPermalink(shop: Shop, product: Product, parent?: Product): string {
  const base = `${shop.home}/product/${(parent ?? product).slug}/`
  if (product.type !== 'variation') return base
  const chosen = product.options.map(
    ({ slug, option }) => `attribute_${slug}=${encodeURIComponent(encodeOption(slug, option))}`,
  )
  return `${base}?${chosen.join('&')}`
}

/** Taxonomy attributes (pa_*) are stored as slugs, custom attributes as text. */
export function encodeOption(slug: string, option: string): string {
  return slug.startsWith('pa_') ? option.toLowerCase().replace(/[^a-z0-9]+/g, '-') : option
}

export function buildPictureUrl(shop: Shop, picture: Picture, size = ''): string {
  return `${shop.home}/wp-content/uploads/2026/11/${picture.file.replace('.jpg', `${size}.jpg`)}`
}

const emptyFields = {
  external_url: '',
  button_text: '',
  sold_individually: false,
  average_rating: '0.00',
  rating_count: 0,
  upsell_ids: [],
  cross_sell_ids: [],
  purchase_note: '',
  brands: [],
  tags: [],
  default_attributes: [],
  grouped_products: [],
  meta_data: [],
  post_password: '',
  global_unique_id: '',
}

export function presentProduct(shop: Shop, product: Product) {
  const parent = product.parentId ? findProduct(shop, product.parentId) : undefined
  return {
    id: product.id,
    name: buildFullName(product, parent),
    slug: product.slug,
    permalink: buildPermalink(shop, product, parent),
    ...formatBothTimes('date_created', product.createdAt),
    ...formatBothTimes('date_modified', product.modifiedAt),
    type: product.type,
    status: product.status,
    featured: false,
    catalog_visibility: 'visible',
    description: product.description,
    short_description: product.shortDescription,
    sku: product.sku,
    ...buildMoneyFields(shop, product),
    // WooCommerce returns this as text when a variation is requested as a product.
    total_sales: product.type === 'variation' ? String(product.totalSales) : product.totalSales,
    ...buildProductFields(product),
    shipping_required: true,
    shipping_taxable: true,
    reviews_allowed: product.type !== 'variation',
    ...emptyFields,
    parent_id: product.parentId,
    categories: product.categories,
    images: product.pictures.map((picture) => presentPicture(shop, product, picture)),
    attributes: product.type === 'variation' ? product.options : product.attributes.map(presentAttribute(product)),
    variations: product.variations,
    menu_order: product.menuOrder,
    price_html: priceHtml(shop, product),
    related_ids: listRelatedIds(shop, product),
    stock_status: isInStock(shop, product) ? 'instock' : 'outofstock',
    has_options: product.type === 'variable',
    _links: buildLinks(shop, 'products', product.id, parent && `products/${parent.id}`),
  }
}

export function presentVariation(shop: Shop, variation: Product, parent: Product) {
  const picture = variation.pictures[0]
  const { srcset: _, sizes: __, thumbnail: ___, ...image } = presentPicture(shop, variation, picture!)
  return {
    id: variation.id,
    type: 'variation',
    ...formatBothTimes('date_created', variation.createdAt),
    ...formatBothTimes('date_modified', variation.modifiedAt),
    description: variation.description,
    permalink: buildPermalink(shop, variation, parent),
    sku: variation.sku,
    global_unique_id: '',
    ...buildMoneyFields(shop, variation),
    status: variation.status,
    ...buildProductFields(variation),
    stock_status: isInStock(shop, variation) ? 'instock' : 'outofstock',
    image,
    attributes: variation.options,
    menu_order: variation.menuOrder,
    meta_data: [],
    name: getOptionText(variation),
    parent_id: parent.id,
    _links: buildLinks(shop, `products/${parent.id}/variations`, variation.id, `products/${parent.id}`),
  }
}

function buildMoneyFields(shop: Shop, product: Product) {
  const isVariable = product.type === 'variable'
  const onSale = isVariable
    ? listVariations(shop, product).some((variation) => variation.saleMinor !== null)
    : product.saleMinor !== null
  return {
    price: getCatalogueText(shop, priceMinor(shop, product)),
    regular_price: product.regularMinor === null ? '' : getCatalogueText(shop, product.regularMinor),
    sale_price: product.saleMinor === null ? '' : getCatalogueText(shop, product.saleMinor),
    ...formatBothTimes('date_on_sale_from', null),
    ...formatBothTimes('date_on_sale_to', null),
    on_sale: onSale,
    purchasable: true,
  }
}

function buildProductFields(product: Product) {
  return {
    virtual: false,
    downloadable: false,
    downloads: [],
    download_limit: -1,
    download_expiry: -1,
    tax_status: 'taxable',
    tax_class: '',
    manage_stock: product.stock !== null,
    stock_quantity: product.stock,
    backorders: 'no',
    backorders_allowed: false,
    backordered: false,
    low_stock_amount: null,
    weight: product.weight,
    dimensions: { length: '', width: '', height: '' },
    shipping_class: '',
    shipping_class_id: 0,
  }
}

function presentPicture(shop: Shop, product: Product, picture: Picture) {
  const src = buildPictureUrl(shop, picture)
  const srcset = [`${src} 600w`, ...[300, 150, 100].map((w) => `${buildPictureUrl(shop, picture, `-${w}x${w}`)} ${w}w`)]
  return {
    id: picture.id,
    ...formatBothTimes('date_created', product.createdAt),
    ...formatBothTimes('date_modified', product.createdAt),
    src,
    name: picture.file,
    alt: '',
    srcset: srcset.join(', '),
    sizes: '(max-width: 600px) 100vw, 600px',
    thumbnail: buildPictureUrl(shop, picture, '-300x300'),
  }
}

export function storeImage(shop: Shop, picture: Picture) {
  const src = buildPictureUrl(shop, picture)
  const srcset = [`${src} 600w`, ...[300, 150, 100].map((w) => `${buildPictureUrl(shop, picture, `-${w}x${w}`)} ${w}w`)]
  const thumbnail = buildPictureUrl(shop, picture, '-300x300')
  return {
    id: picture.id,
    src,
    thumbnail,
    srcset: srcset.join(', '),
    sizes: '(max-width: 600px) 100vw, 600px',
    name: picture.file,
    alt: '',
  }
}

function presentAttribute(product: Product) {
  const variation = product.type === 'variable'
  return ({ id, name, slug, options }: Attribute, position: number) => ({
    id,
    name,
    slug,
    position,
    visible: true,
    variation,
    options,
  })
}

/** The entered price, which may have more digits than the currency. */
function getCatalogueText(shop: Shop, minor: number): string {
  return Number.isInteger(minor) ? formatAmount(shop, minor) : String(minor / 10 ** shop.pricing.decimals)
}

function priceHtml(shop: Shop, product: Product): string {
  if (product.type === 'variable') {
    const prices = listVariations(shop, product).map((variation) => priceMinor(shop, variation))
    return `${renderAmount(shop, Math.min(...prices))} <span aria-hidden="true">&ndash;</span> ${renderAmount(shop, Math.max(...prices))}`
  }
  if (product.saleMinor === null) return renderAmount(shop, product.regularMinor ?? 0)
  return `<del aria-hidden="true">${renderAmount(shop, product.regularMinor ?? 0)}</del> <ins aria-hidden="true">${renderAmount(shop, product.saleMinor)}</ins>`
}

function renderAmount(shop: Shop, minor: number): string {
  const symbol = `<span class="woocommerce-Price-currencySymbol">${findCurrency(shop).html}</span>`
  return `<span class="woocommerce-Price-amount amount"><bdi>${symbol}${formatAmount(shop, minor)}</bdi></span>`
}

function listRelatedIds(shop: Shop, product: Product): number[] {
  const shelves = new Set(product.categories.map(({ id }) => id))
  const others = listProducts(shop).filter(
    ({ id, categories }) => id !== product.id && categories.some((c) => shelves.has(c.id)),
  )
  return others.slice(0, 5).map(({ id }) => id)
}

function readProduct(row: { doc: string } | undefined): Product | undefined {
  return row && (JSON.parse(row.doc) as Product)
}
