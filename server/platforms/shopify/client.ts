import type { StoreAccess, StoreNet, TokenCache } from '../platform/access.ts'
import type { StoreClient, StoreLogo } from '../platform/platform.ts'
import { pullCustomers, pullProducts, readSingleCustomer, readTerms } from './catalogue.ts'
import { pullCheckouts, readSingleCheckout } from './checkouts.ts'
import {
  createCoupons,
  deleteCoupons,
  findCoupon,
  pullCoupons,
  readCouponsById,
  updateCoupon,
  updateCoupons,
} from './coupons.ts'
import { createGraph } from './graph.ts'
import { pullOrders, readSingleOrder } from './orders.ts'
import { readProfile } from './profile.ts'
import { createWebhook, deleteWebhook, listWebhooks } from './webhooks.ts'

/** A client for one store. Keep one per store: it caches the remaining points and the app's permissions. */
export function createShopifyClient(access: StoreAccess, net: StoreNet, shelf: TokenCache): StoreClient {
  const graph = createGraph(access, net, shelf)
  return {
    readProfile: (signal) => readProfile(access, net, { graph, signal }),
    orders: (query) => pullOrders(graph, net, query),
    order: (orderId, signal) => readSingleOrder(graph, orderId, signal),
    checkouts: (query) => pullCheckouts(graph, query),
    checkout: (checkoutId, signal) => readSingleCheckout(graph, checkoutId, signal),
    customer: (customerId, signal) => readSingleCustomer(graph, customerId, signal),
    customers: (query) => pullCustomers(graph, query),
    products: (query) => pullProducts(graph, query),
    terms: (query) => readTerms(graph, query),
    coupons: (query) => pullCoupons(graph, query),
    couponsById: (query) => readCouponsById(graph, query),
    couponByCode: (code, currency) => findCoupon(graph, code, currency),
    createCoupons: (drafts) => createCoupons(graph, net, drafts),
    updateCoupon: (id, draft) => updateCoupon(graph, net, { id, draft }),
    updateCoupons: (changes) => updateCoupons(graph, net, changes),
    deleteCoupons: (ids) => deleteCoupons(graph, ids),
    // On Shopify no other server can fill a cart, reading the brand needs other keys, and there is no plugin.
    refillCart: async () => null,
    logos: noLogos,
    callPlugin: async () => null,
    webhooks: () => listWebhooks(graph),
    createWebhook: (topic, deliveryUrl) => createWebhook(graph, topic, deliveryUrl),
    deleteWebhook: (id) => deleteWebhook(graph, id),
  }
}

async function* noLogos(): AsyncGenerator<StoreLogo> {}
