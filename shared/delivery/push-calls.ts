import { z } from 'zod'
import { type Endpoint, endpoint, storeQuery } from '../core/endpoint.ts'
import { BrowserSubscription, PushEvent, PushMethod, PushPrompt, PushSettings, pushLimits, pushTexts } from './push.ts'

// Web push calls (A 7). Each has two paths, with and without /api (decision 20); `removeApiPrefix` derives the second.

const buildPath = <Last extends string>(last: Last) => `/api/push-notifications/${last}` as const

/** The same call without the /api prefix. */
export const removeApiPrefix = <E extends Endpoint>(call: E): E => ({
  ...call,
  path: call.path.replace('/api/', '/') as E['path'],
})

/** The store, by its address, which the setup requires (A 5). */
const storeFields = {
  storeUrl: z.string({ error: pushTexts.noStoreUrl }).trim().min(1, pushTexts.noStoreUrl).max(2_048),
  platform: z.string().max(40).optional(),
}
const urlQuery = storeQuery.extend({ storeUrl: z.string().max(2_048).optional() })
const changing = { permission: 'flows:write', scope: 'store', query: storeQuery } as const
const reading = { method: 'GET', permission: 'stores:read', scope: 'store', query: urlQuery } as const
const Done = { success: z.boolean() }

export const generateVapidKeys = endpoint({
  ...changing,
  method: 'POST',
  path: buildPath('generate-vapid-keys'),
  summary: 'Create the store’s key pair if there is none. Owners and admins can replace it with `replace`',
  body: z.object({
    ...storeFields,
    /**
     * `moving`: the old key pair stays valid until its last subscription has moved, at most 180 days. `leaked`: it ends
     * now, with all its subscriptions.
     */
    replace: z.enum(['moving', 'leaked']).optional(),
  }),
  reply: z.object({
    ...Done,
    vapidKeys: z.object({ publicKey: z.string() }),
    /** Subscriptions that ended (`leaked`) or have to move (`moving`). */
    subscriptions: z.number(),
  }),
})

export const readVapidKey = endpoint({
  ...reading,
  path: buildPath('vapid-key'),
  summary: 'The public key of the store’s key pair; null while there is none',
  reply: z.object({ ...Done, publicKey: z.string().nullable() }),
})

export const savePushSettings = endpoint({
  ...changing,
  method: 'POST',
  path: buildPath('save-settings'),
  summary: 'Timing, maximum number and text of the store’s notifications',
  body: z.object({ ...storeFields, settings: PushSettings }),
  reply: z.object({ ...Done, settings: PushSettings }),
})

export const savePushPrompt = endpoint({
  ...changing,
  method: 'PUT',
  path: buildPath('prompt'),
  summary: 'The widget’s permission prompt: text, colors and delay',
  body: z.object({ ...storeFields, prompt: PushPrompt }),
  reply: z.object({ ...Done, prompt: PushPrompt }),
})

export const readPushSetup = endpoint({
  ...reading,
  path: buildPath('setup'),
  summary: 'The setup of the store’s web push, and where it was last seen working',
  reply: z.object({
    storeUrl: z.string(),
    storeName: z.string(),
    platform: z.string(),
    /** The platform allows a worker at the shop’s root. Otherwise push cannot be set up (decision 75). */
    canHostWorker: z.boolean(),
    /** Identifies the store in the widget’s address. */
    storeKey: z.string(),
    keys: z
      .object({
        publicKey: z.string(),
        madeAt: z.string(),
        /** Active subscriptions of this key pair and of older ones, which a new key pair affects (P2). */
        subscriptions: z.number(),
        older: z.array(z.object({ madeAt: z.string(), endsAt: z.string(), subscriptions: z.number() })),
      })
      .nullable(),
    settings: PushSettings,
    prompt: PushPrompt,
    /** Newest first, once per method and address (the live check). */
    seen: z.array(
      z.object({
        method: PushMethod,
        origin: z.string(),
        /** When the widget last fetched its settings. */
        widgetAt: z.string(),
        /** When the widget found the worker active; null: not yet. */
        workerAt: z.string().nullable(),
        /** The shop serves an older copy of sw.js than Recoup has now. */
        isWorkerOld: z.boolean(),
      }),
    ),
    /** Active subscriptions: the recipients of a test to all. */
    subscribers: z.number(),
  }),
})

export const pushStoreStats = endpoint({
  ...reading,
  path: buildPath('store-stats'),
  summary: 'Number of subscribed customers, of notifications sent, and of notifications pressed',
  reply: z.object({
    ...Done,
    message: z.string(),
    stats: z.object({
      totalCustomers: z.number(),
      subscribedCustomers: z.number(),
      pendingCustomers: z.number(),
      /** Whole percent; 0 without customers. */
      conversionRate: z.number(),
      subscribers: z.number(),
      notifications: z.number(),
      /** Percentage of notifications accepted by push services, with one decimal; 0 without any. */
      clickRate: z.number(),
    }),
  }),
})

const contentFields = {
  title: z.string().trim().min(1).max(pushLimits.title),
  body: z.string().trim().min(1).max(pushLimits.body),
  /** Page of the store that it opens; default: the store's home page. */
  cartUrl: z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2_048)]).optional(),
  icon: z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2_048)]).optional(),
}

export const sendStoreNotification = endpoint({
  ...changing,
  method: 'POST',
  path: buildPath('send-store-notification'),
  permission: 'carts:write',
  summary: 'Send a notification to all subscribers, each checked like any other message. Takes an `Idempotency-Key`',
  body: z.object({ ...storeFields, ...contentFields }),
  reply: z.object({
    ...Done,
    /** One per intended person. */
    results: z.array(z.object({ id: z.string(), status: z.string() })),
    message: z.string(),
  }),
})

export const sendToThisBrowser = endpoint({
  ...changing,
  method: 'POST',
  path: buildPath('send-to-this-browser'),
  permission: 'carts:write',
  summary: 'Send a test notification to the caller’s browser; it is neither stored nor counted',
  body: z.object({ ...storeFields, ...contentFields, subscription: BrowserSubscription }),
  reply: z.object({ ...Done, message: z.string() }),
})

/** Pages of shops and workers post as text: this needs no CORS preflight and may outlive the page. */
const createPostBody = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((body) => {
    if (typeof body !== 'string') return body
    try {
      return JSON.parse(body)
    } catch {
      return undefined
    }
  }, z.object(shape))

const open = { method: 'POST', permission: 'public' } as const
const storeKey = z.string().regex(/^[\w-]{1,100}$/)
const captureToken = z.string().regex(/^[A-Za-z0-9_-]{16,64}$/)
const token = z.string().regex(/^[0-9a-f-]{36}\.[\w-]{43}$/)
const publicKey = z.string().regex(/^[\w-]{86,88}$/)

export const pushAutoSetup = endpoint({
  ...open,
  path: buildPath('auto-setup'),
  summary: 'The widget’s settings; 404 unless address and Origin belong to the same store',
  body: createPostBody({
    storeUrl: z.string().min(1).max(2_048),
    userAgent: z.string().max(1_000).optional(),
    timestamp: z.union([z.string().max(40), z.number()]).optional(),
    method: PushMethod.optional(),
    /** The worker is registered and active on this page. */
    hasWorker: z.boolean().optional(),
    /** The worker's version (`WORKER_VERSION`); 0: not reported. */
    workerVersion: z.number().int().min(0).max(1_000_000).optional(),
    /** Fetched from the shop just now. Otherwise it may be older than the shop's copy. */
    isFresh: z.boolean().optional(),
  }),
  reply: z.object({
    ...Done,
    storeKey,
    publicKey,
    workerUrl: z.string(),
    /** The latest version: a browser with an older one asks the shop for an update. */
    workerVersion: z.number(),
    /**
     * As displayed, with `{store}` filled in. `wording` identifies the text and is sent back with a subscription (C5).
     */
    prompt: PushPrompt.extend({ wording: z.string() }),
    askAgainDays: z.number(),
  }),
})

export const pushSubscribe = endpoint({
  ...open,
  path: buildPath('subscribe'),
  summary: 'Record that a shopper allowed notifications by pressing the button (P3): subscription and consent',
  body: createPostBody({
    storeKey,
    /**
     * The capture script's cart id, the only link between subscription and cart. `device` is missing if the browser
     * asks not to be tracked.
     */
    cart: captureToken,
    device: captureToken.optional(),
    subscription: BrowserSubscription,
    /** The public key of the subscription. */
    publicKey,
    wording: z.string().max(40),
    method: PushMethod.optional(),
  }),
  reply: z.object({
    ...Done,
    /**
     * Proves ownership of the subscription in `resubscribe` and `unsubscribe`. Must be stored where the worker can read
     * it.
     */
    token,
    /** false: only the device was known, and the page must report the cart by `resubscribe`. */
    isCartKnown: z.boolean(),
  }),
})

export const pushResubscribe = endpoint({
  ...open,
  path: buildPath('resubscribe'),
  summary: 'Replace a browser’s subscription after the key or the browser changed it, or change its cart',
  body: createPostBody({
    storeKey,
    token,
    subscription: BrowserSubscription,
    publicKey,
    /** As in `subscribe`; missing: sent by the worker, which knows no cart. */
    cart: captureToken.optional(),
    device: captureToken.optional(),
  }),
  reply: z.object({ ...Done, token }),
})

export const pushUnsubscribe = endpoint({
  ...open,
  path: buildPath('unsubscribe'),
  summary:
    'Record that the shopper withdrew permission or stopped notifications in this browser; withdraws the consent',
  body: createPostBody({ storeKey, token }),
  reply: z.object(Done),
})

export const pushEvent = endpoint({
  ...open,
  path: buildPath('events'),
  summary: 'Report what happened to a notification in the shopper’s browser, with its signed token',
  body: createPostBody({ token: z.string().max(200), kind: PushEvent }),
  reply: z.object(Done),
})
