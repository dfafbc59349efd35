// Products and variants.
import type { Product, Variant } from '../model.ts'
import { find, listByOwner } from '../records.ts'
import { buildGid, formatAmount, type Shop } from '../shop.ts'
import { buildMoneySource, type Context, formatTime, type Source } from './context.ts'
import { type PageArgs, paginateList } from './pages.ts'

const buildImageSource = (shop: Shop, file: string, alt: string): Source => ({
  __typename: 'Image',
  id: buildGid('ProductImage', [...file].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 2 ** 40),
  url: buildPictureUrl(shop, file),
  altText: alt,
  width: 600,
  height: 600,
})

export const buildPictureUrl = ({ home }: Shop, file: string) => `${home}/cdn/shop/files/${file}.jpg`

export function buildProductSource(context: Context, product: Product): Source {
  const { shop } = context
  const variants = () => listByOwner(shop.db, 'variant', product.id)
  const picture = buildImageSource(shop, product.picture, product.title)
  const media: Source = {
    __typename: 'MediaImage',
    id: buildGid('MediaImage', product.id),
    alt: product.title,
    mediaContentType: 'IMAGE',
    status: 'READY',
    image: picture,
    preview: { image: picture, status: 'READY' },
  }
  return {
    __typename: 'Product',
    id: buildGid('Product', product.id),
    legacyResourceId: String(product.id),
    title: product.title,
    handle: product.handle,
    status: product.status,
    productType: product.productType,
    vendor: 'Fern & Finch',
    tags: [],
    isGiftCard: false,
    templateSuffix: null,
    description: product.description,
    descriptionHtml: `<p>${product.description}</p>`,
    createdAt: formatTime(product.createdAt),
    updatedAt: formatTime(product.updatedAt),
    publishedAt: product.status === 'ACTIVE' ? formatTime(product.createdAt) : null,
    onlineStoreUrl: product.status === 'ACTIVE' ? `${shop.home}/products/${product.handle}` : null,
    hasOnlyDefaultVariant: product.optionName === null,
    tracksInventory: () => variants().some(({ stock }) => stock !== null),
    totalInventory: () => variants().reduce((sum, { stock }) => sum + (stock ?? 0), 0),
    featuredMedia: media,
    featuredImage: picture,
    media: (args: PageArgs) => paginateList([media], args, (each) => each),
    images: (args: PageArgs) => paginateList([picture], args, (each) => each),
    variantsCount: () => ({ count: variants().length, precision: 'EXACT' }),
    variants: (args: PageArgs) => paginateList(variants(), args, (each) => buildVariantSource(context, each)),
    options: () => [
      {
        id: buildGid('ProductOption', product.id),
        name: product.optionName ?? 'Title',
        position: 1,
        values: variants().map(({ title }) => title),
      },
    ],
    priceRangeV2: () => {
      const prices = variants().map(({ priceMinor }) => priceMinor)
      return {
        minVariantPrice: buildMoneySource(Math.min(...prices)),
        maxVariantPrice: buildMoneySource(Math.max(...prices)),
      }
    },
  }
}

export function buildVariantSource(context: Context, variant: Variant): Source {
  const { shop } = context
  const product = () => find(shop.db, 'product', variant.productId)!
  return {
    __typename: 'ProductVariant',
    id: buildGid('ProductVariant', variant.id),
    legacyResourceId: String(variant.id),
    title: variant.title,
    displayName: () => `${product().title} - ${variant.title}`,
    sku: variant.sku,
    position: variant.position,
    barcode: null,
    taxable: true,
    price: formatAmount(variant.priceMinor),
    compareAtPrice: variant.compareAtMinor === null ? null : formatAmount(variant.compareAtMinor),
    availableForSale: () => isForSale(product(), variant),
    inventoryPolicy: variant.stock === null ? 'CONTINUE' : 'DENY',
    inventoryQuantity: variant.stock ?? 0,
    sellableOnlineQuantity: variant.stock ?? 0,
    inventoryItem: { id: buildGid('InventoryItem', variant.id + 1_000_000_000), tracked: variant.stock !== null },
    createdAt: formatTime(variant.createdAt),
    updatedAt: formatTime(variant.updatedAt),
    image: () => (variant.picture ? buildImageSource(shop, variant.picture, variant.title) : null),
    media: (args: PageArgs) =>
      paginateList(
        variant.picture ? [buildImageSource(shop, variant.picture, variant.title)] : [],
        args,
        (picture) => ({
          __typename: 'MediaImage',
          id: buildGid('MediaImage', variant.id),
          alt: variant.title,
          mediaContentType: 'IMAGE',
          status: 'READY',
          image: picture,
          preview: { image: picture, status: 'READY' },
        }),
      ),
    selectedOptions: () => {
      const { optionName } = product()
      return [{ name: optionName ?? 'Title', value: variant.title }]
    },
    product: () => buildProductSource(context, product()),
  }
}

export const isForSale = (product: Product, variant: Variant) =>
  product.status === 'ACTIVE' && (variant.stock === null || variant.stock > 0)

export const lineImage = buildImageSource
