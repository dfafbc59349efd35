// All queries. queries.test.ts checks each against Shopify's schema of `API_VERSION` and the requested scopes. They
// never request a street, note, IP, tag or payment data of a person (S7). `$customers` (scope read_customers),
// `$products` (read_products) and `$names`, `$emails`, `$phones` (protected customer data) omit what a store's app may
// not read: one such field would fail the whole response.

/** The version of the fields below. Shopify supports a version for a year. */
export const API_VERSION = '2026-10'

export const PAGE = 'pageInfo { hasNextPage endCursor }'

export const MONEY = 'shopMoney { amount currencyCode }'

export const ADDRESS = `{
  firstName @include(if: $names)
  lastName @include(if: $names)
  phone @include(if: $phones)
  countryCodeV2
  provinceCode
}`

export const ITEM = `
  quantity
  sku
  title
  variantTitle
  image { url }
  originalUnitPriceSet { ${MONEY} }
  product @include(if: $products) { id }
  variant @include(if: $products) { id }`

const ORDER = `
  id
  createdAt
  updatedAt
  processedAt
  cancelledAt
  test
  sourceName
  displayFinancialStatus
  currencyCode
  checkoutToken
  cartToken
  discountCodes
  email @include(if: $emails)
  phone @include(if: $phones)
  totalPriceSet { ${MONEY} }
  totalRefundedSet { ${MONEY} }
  customer @include(if: $customers) {
    id
    firstName @include(if: $names)
    lastName @include(if: $names)
  }
  shippingAddress ${ADDRESS}
  billingAddress ${ADDRESS}`

/** Shopify's search syntax: an instant in quotes. */
export const buildChangedSince = (instant: string): string =>
  `updated_at:>='${new Date(instant).toISOString().slice(0, 19)}Z'`

export const WHO = '$names: Boolean!, $emails: Boolean!, $phones: Boolean!'

export const FLAGS = `${WHO}, $customers: Boolean!, $products: Boolean!`

export const ORDERS = `query Orders($first: Int!, $after: String, $query: String!, ${FLAGS}) {
  orders(first: $first, after: $after, query: $query, sortKey: UPDATED_AT) {
    nodes { ${ORDER} lineItems(first: 10) { nodes { ${ITEM} } ${PAGE} } }
    ${PAGE}
  }
}`

export const ORDER_BY_ID = `query OrderById($id: ID!, ${FLAGS}) {
  order(id: $id) { ${ORDER} lineItems(first: 50) { nodes { ${ITEM} } ${PAGE} } }
}`

export const ORDER_ITEMS = `query OrderItems($id: ID!, $after: String, $products: Boolean!) {
  order(id: $id) { lineItems(first: 50, after: $after) { nodes { ${ITEM} } ${PAGE} } }
}`

const ALLOCATIONS = `discountAllocations { allocatedAmountSet { ${MONEY} } discountApplication { index } }`

const APPLICATION = '__typename index targetType ... on DiscountCodeApplication { code }'

/** The discount of each code, for the few orders that have one. */
export const ORDER_DISCOUNTS = `query OrderDiscounts($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on Order {
      id
      discountApplications(first: 10) { nodes { ${APPLICATION} } }
      lineItems(first: 30) { nodes { ${ALLOCATIONS} } ${PAGE} }
    }
  }
}`

export const ORDERS_COUNT = `query OrdersCount($query: String!, $limit: Int!) {
  ordersCount(query: $query, limit: $limit) { count }
}`

interface BulkFlags {
  names: boolean
  emails: boolean
  phones: boolean
  customers: boolean
  products: boolean
}

/** A bulk query takes no variables, so omitted fields are removed from its text. */
export function buildBulkOrders(query: string, flags: BulkFlags): string {
  const text = `{
    orders(query: ${JSON.stringify(query)}) {
      edges { node {
        __typename ${ORDER}
        discountApplications { edges { node { ${APPLICATION} } } }
        lineItems { edges { node { __typename id ${ITEM} ${ALLOCATIONS} } } }
      } }
    }
  }`
  return text.replace(/@include\(if: \$(\w+)\)/g, (_, flag: keyof BulkFlags) => `@include(if: ${flags[flag]})`)
}

const BULK = 'id status errorCode createdAt objectCount url query'

export const BULK_BY_ID = `query BulkById($id: ID!) { bulkOperation(id: $id) { ${BULK} } }`

/** Newest first. */
export const BULK_RECENT = `query BulkRecent {
  bulkOperations(first: 10, sortKey: CREATED_AT, reverse: true) { nodes { ${BULK} } }
}`

export const SHOP = `query Shop {
  shop {
    name
    currencyCode
    ianaTimezone
    taxesIncluded
    primaryDomain { url }
    shopAddress { countryCodeV2 }
    shipsToCountries
    plan { publicDisplayName }
  }
  currentAppInstallation { accessScopes { handle } }
}`
