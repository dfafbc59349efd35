import type { StoreAccess, StoreNet } from '../platform/access.ts'
import type { StoreClient } from '../platform/platform.ts'
import { parseId } from '../platform/text.ts'
import { pullCustomers, pullProducts, readSingleCustomer } from './catalogue.ts'
import { readProfile } from './connect.ts'
import {
  createCoupons,
  deleteCoupons,
  findCoupon,
  pullCoupons,
  readCouponsById,
  updateCoupon,
  updateCoupons,
} from './coupons.ts'
import { createWooHttp, wooAccess } from './http.ts'
import { readLogos } from './logos.ts'
import { pullOrders, readSingleOrder } from './orders.ts'
import { callPlugin } from './plugin.ts'
import { refillCart } from './refill.ts'
import { openShownPrices } from './shown-prices.ts'
import { pullTerms } from './terms.ts'
import { createWebhook, deleteWebhook, listWebhooks } from './webhooks.ts'

/** A client for one WooCommerce store. It sends one request at a time; keep one client per store. */
export function createWooCommerceClient(reached: StoreAccess, net: StoreNet): StoreClient {
  const access = wooAccess(reached)
  const http = createWooHttp(access, net)
  return {
    readProfile: (signal) => readProfile(access, net, signal),
    orders: (query) => pullOrders(http, query),
    order: async (orderId, signal) => (parseId(orderId) ? readSingleOrder(http, orderId, signal) : null),
    checkouts: () => noCheckouts(),
    checkout: async () => null,
    customer: async (customerId, signal) => (parseId(customerId) ? readSingleCustomer(http, customerId, signal) : null),
    customers: (query) => pullCustomers(http, query),
    products: ({ shownTax, ...query }) =>
      pullProducts(http, query, shownTax ? openShownPrices(reached, net, shownTax) : null),
    terms: (query) => pullTerms(http, query),
    coupons: (query) => pullCoupons(http, query),
    couponsById: (query) => readCouponsById(http, query),
    couponByCode: (code, currency) => findCoupon(http, code, currency),
    createCoupons: (drafts) => createCoupons(http, drafts),
    updateCoupon: (id, draft) => updateCoupon(http, id, draft),
    updateCoupons: (changes) => updateCoupons(http, changes),
    deleteCoupons: (ids) => deleteCoupons(http, ids),
    refillCart: (request) => refillCart(access, net, request),
    logos: (signal) => readLogos(access, net, signal),
    callPlugin: (call) => callPlugin(access, net, call),
    webhooks: () => listWebhooks(http),
    createWebhook: (topic, deliveryUrl, secret) => createWebhook(http, topic, deliveryUrl, secret),
    deleteWebhook: (id) => deleteWebhook(http, id),
  }
}

/** WooCommerce shows a checkout as a draft order or not at all. */
async function* noCheckouts() {}
