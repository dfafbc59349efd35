// All queries. queries.test.ts checks each against Shopify's schema of `API_VERSION` and the requested scopes. They
// never request a street, note, IP, tag or payment data of a person (S7). `$customers` (scope read_customers),
// `$products` (read_products) and `$names`, `$emails`, `$phones` (protected customer data) omit what a store's app may
// not read: one such field would fail the whole response.

/** The version of the fields below. Shopify supports a version for a year. */
export const API_VERSION = '2026-10'

const PAGE = 'pageInfo { hasNextPage endCursor }'

const MONEY = 'shopMoney { amount currencyCode }'

const ADDRESS = `{
  firstName @include(if: $names)
  lastName @include(if: $names)
  phone @include(if: $phones)
  countryCodeV2
  provinceCode
}`

const CONSENT = '{ state optInLevel updatedAt }'

const CONTACT = `
  id
  firstName @include(if: $names)
  lastName @include(if: $names)
  locale
  defaultEmailAddress {
    emailAddress @include(if: $emails)
    marketingState
    marketingOptInLevel
    marketingUpdatedAt
  }
  defaultPhoneNumber {
    phoneNumber @include(if: $phones)
    smsMarketingConsent ${CONSENT}
    whatsAppMarketingConsent ${CONSENT}
  }`

const ITEM = `
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
  customerLocale
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

const WHO = '$names: Boolean!, $emails: Boolean!, $phones: Boolean!'

const FLAGS = `${WHO}, $customers: Boolean!, $products: Boolean!`

const DISCOUNT_FLAGS = '$emails: Boolean!, $customers: Boolean!, $products: Boolean!'

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

const CHECKOUT = `
  id
  abandonedCheckoutUrl
  createdAt
  updatedAt
  completedAt
  discountCodes
  totalPriceSet { ${MONEY} }
  subtotalPriceSet { ${MONEY} }
  totalDiscountSet { ${MONEY} }
  customer @include(if: $customers) { ${CONTACT} }
  shippingAddress ${ADDRESS}
  billingAddress ${ADDRESS}`

/** There is no order by time of change; an order by id is stable during the pull. */
export const CHECKOUTS = `query Checkouts($first: Int!, $after: String, $query: String!, ${FLAGS}) {
  abandonedCheckouts(first: $first, after: $after, query: $query, sortKey: ID) {
    nodes { ${CHECKOUT} lineItems(first: 10) { nodes { ${ITEM} } ${PAGE} } }
    ${PAGE}
  }
}`

export const CHECKOUT_BY_ID = `query CheckoutById($id: ID!, ${FLAGS}) {
  node(id: $id) {
    ... on AbandonedCheckout { ${CHECKOUT} lineItems(first: 50) { nodes { ${ITEM} } ${PAGE} } }
  }
}`

export const CHECKOUT_ITEMS = `query CheckoutItems($id: ID!, $after: String, $products: Boolean!) {
  node(id: $id) {
    ... on AbandonedCheckout { lineItems(first: 50, after: $after) { nodes { ${ITEM} } ${PAGE} } }
  }
}`

const CUSTOMER = `
  ${CONTACT}
  createdAt
  updatedAt
  numberOfOrders
  amountSpent { amount currencyCode }
  defaultAddress { company countryCodeV2 provinceCode }`

export const CUSTOMERS = `query Customers($first: Int!, $after: String, $query: String, ${WHO}) {
  customers(first: $first, after: $after, query: $query, sortKey: ID) { nodes { ${CUSTOMER} } ${PAGE} }
}`

export const CUSTOMER_BY_ID = `query CustomerById($id: ID!, ${WHO}) {
  customer(id: $id) { ${CUSTOMER} }
}`

/** For a personal coupon. */
export const CUSTOMER_BY_EMAIL = `query CustomerByEmail($query: String!) {
  customers(first: 5, query: $query) { nodes { id defaultEmailAddress { emailAddress } } }
}`

/** Skips rows to start at a middle page. */
export const CUSTOMERS_PAST = `query CustomersPast($first: Int!, $after: String, $query: String) {
  customers(first: $first, after: $after, query: $query, sortKey: ID) { nodes { id } ${PAGE} }
}`

const PICTURE = 'preview { image { url } }'

const VARIANT = `
  id
  title
  sku
  price
  compareAtPrice
  availableForSale
  inventoryQuantity
  inventoryPolicy
  inventoryItem { tracked }
  updatedAt`

export const VARIANTS = `query Variants($first: Int!, $after: String, $query: String!) {
  shop { currencyCode }
  productVariants(first: $first, after: $after, query: $query, sortKey: ID) {
    nodes {
      ${VARIANT}
      media(first: 1) { nodes { ${PICTURE} } }
      product { id title status productType onlineStoreUrl updatedAt featuredMedia { ${PICTURE} } }
    }
    ${PAGE}
  }
}`

export const VARIANTS_PAST = `query VariantsPast($first: Int!, $after: String, $query: String!) {
  productVariants(first: $first, after: $after, query: $query, sortKey: ID) { nodes { id } ${PAGE} }
}`

/** A product changes with its variants, but a variant does not change with its product. */
export const PRODUCTS_CHANGED = `query ProductsChanged($first: Int!, $after: String, $query: String!) {
  products(first: $first, after: $after, query: $query, sortKey: ID) { nodes { id } ${PAGE} }
}`

export const TERMS = `query Terms($ids: [ID!]!) {
  shop { currencyCode }
  nodes(ids: $ids) {
    ... on ProductVariant { ${VARIANT} product { id status } }
    ... on Product { id status variants(first: 1) { nodes { ${VARIANT} } } }
  }
}`

const DISCOUNT = `
  __typename
  ... on DiscountCodeBasic {
    title status startsAt endsAt createdAt updatedAt tags
    usageLimit asyncUsageCount appliesOncePerCustomer
    codes(first: 1) { nodes { code } }
    combinesWith { orderDiscounts productDiscounts shippingDiscounts }
    context {
      __typename
      ... on DiscountCustomers @include(if: $customers) {
        customers { id defaultEmailAddress { emailAddress @include(if: $emails) } }
      }
    }
    minimumRequirement {
      __typename
      ... on DiscountMinimumSubtotal { greaterThanOrEqualToSubtotal { amount currencyCode } }
    }
    customerGets {
      value {
        __typename
        ... on DiscountPercentage { percentage }
        ... on DiscountAmount { amount { amount currencyCode } appliesOnEachItem }
      }
      items {
        __typename
        ... on DiscountCollections @include(if: $products) { collections(first: 10) { nodes { id } ${PAGE} } }
        ... on DiscountProducts @include(if: $products) {
          products(first: 10) { nodes { id } ${PAGE} }
          productVariants(first: 10) { nodes { id } ${PAGE} }
        }
      }
    }
  }
  ... on DiscountCodeFreeShipping {
    title status startsAt endsAt createdAt updatedAt usageLimit asyncUsageCount codes(first: 1) { nodes { code } }
  }
  ... on DiscountCodeBxgy {
    title status startsAt endsAt createdAt updatedAt usageLimit asyncUsageCount codes(first: 1) { nodes { code } }
  }
  ... on DiscountCodeApp {
    title status startsAt endsAt createdAt updatedAt usageLimit asyncUsageCount codes(first: 1) { nodes { code } }
  }`

const DISCOUNT_NODE = `id codeDiscount { ${DISCOUNT} }`

export const DISCOUNTS = `query Discounts($first: Int!, $after: String, $query: String!, ${DISCOUNT_FLAGS}) {
  discountNodes(first: $first, after: $after, query: $query, sortKey: ID) {
    nodes { id codeDiscount: discount { ${DISCOUNT} } }
    ${PAGE}
  }
}`

export const DISCOUNTS_PAST = `query DiscountsPast($first: Int!, $after: String, $query: String!) {
  discountNodes(first: $first, after: $after, query: $query, sortKey: ID) { nodes { id } ${PAGE} }
}`

export const DISCOUNTS_BY_ID = `query DiscountsById($ids: [ID!]!, ${DISCOUNT_FLAGS}) {
  nodes(ids: $ids) { ... on DiscountCodeNode { ${DISCOUNT_NODE} } }
}`

export const DISCOUNT_BY_CODE = `query DiscountByCode($code: String!, ${DISCOUNT_FLAGS}) {
  codeDiscountNodeByCode(code: $code) { ${DISCOUNT_NODE} }
}`

export const SUBSCRIPTIONS = `query Subscriptions($first: Int!, $after: String) {
  webhookSubscriptions(first: $first, after: $after) { nodes { id topic uri } ${PAGE} }
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

/** Requests all data that a store's plan, or the app's own declaration, may withhold. */
export const PERSONAL_PROBE = `query PersonalProbe(${WHO}, $customers: Boolean!) {
  orders(first: 1) { nodes { id email @include(if: $emails) phone @include(if: $phones) shippingAddress ${ADDRESS} } }
  customers(first: 1) @include(if: $customers) { nodes { ${CONTACT} } }
}`
