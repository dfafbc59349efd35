// What other rooms use: the channels.

export { hasReportedCart, newestSubscription } from './fragments.ts'
export { endOldKeys, ensureKey, signingKey } from './keys.ts'
export { countByKey, findCurrentKey } from './keys-sql.ts'
export { sendPush } from './send-push.ts'
export { findService } from './services.ts'
export {
  addressOfSubscription,
  endMessageSubscriptions,
  endShopperSubscriptions,
  endSubscriptions,
  readSubscriptionToken,
  resubscribe,
  subscribe,
} from './subscriptions.ts'
export { countBrowsers, countSubscribers } from './subscriptions-sql.ts'
export { openPushChannel } from './web-push.ts'
