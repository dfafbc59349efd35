import { canReach } from '../../core/net/addresses.ts'
import type { Platform } from '../platform/kind.ts'
import { createWooCommerceClient } from './client.ts'
import { couponUrl } from './coupons.ts'
import { derivedKeys, PLUGIN_FILE, pluginLink, readReportedOrders, readReportedProfile } from './plugin.ts'
import { restoreLink } from './restore.ts'
import { readReportedTerms } from './terms.ts'
import { readDelivery, TOPICS } from './webhooks.ts'

// WooCommerce as a platform: wires its client, webhooks, links and plugin to the common contract.

export const woocommerce: Platform = {
  createClient: (access, net) => createWooCommerceClient(access, net),
  readDelivery,
  webhookTopics: TOPICS,
  webhookSecret: () => null,
  canDeliverTo: canReach,
  restoreLink,
  couponUrl: ({ homeUrl }, couponId) => couponUrl(homeUrl, couponId),
  plugin: {
    file: PLUGIN_FILE,
    link: pluginLink,
    derivedKeys,
    profile: readReportedProfile,
    orders: readReportedOrders,
    terms: readReportedTerms,
  },
}
