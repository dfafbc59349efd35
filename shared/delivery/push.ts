import { z } from 'zod'

// Web push (A 2.9, 2.10, 3, 4.5, 5, 8, 9; decisions 72 to 81): the owner's settings, the data for shop pages, and the
// payload for the worker in the shopper's browser. The calls are in push-calls.ts.

export const pushTexts = {
  noStoreUrl: 'Please enter your store URL first',
  keysMade: 'VAPID keys generated successfully',
  keysFailed: 'Failed to generate VAPID keys',
  settingsSaved: 'Settings saved successfully',
  statsLoaded: 'Store stats loaded',
  noKeys: 'Generate VAPID keys first.',
  noSubscribers: 'No one has subscribed yet.',
  foreignCartUrl: 'The cart URL must be an address of your store.',
  unknownService: 'Recoup does not send through this browser’s push service.',
  otherKey: 'This subscription uses another key. Subscribe again.',
  unknownWording: 'This text does not belong to the store.',
  unknownDevice: 'Nothing was in the cart yet.',
  tooManyBrowsers: 'Notifications are on in too many browsers of this shopper.',
  leadersOnly: 'Replacing the keys ends subscriptions. Ask an owner or admin.',
  changedMeanwhile: 'Someone else has changed these settings since you opened them. Nothing was saved.',
  sentHere: 'Sent to this browser.',
  noHost: 'Web push does not work on Shopify, which does not allow a service worker at the shop’s own address.',
} as const

/** "Test notification sent to 3 customers". */
export const testSent = (count: number) => `Test notification sent to ${count} customers`

export const pushFrequencies = ['immediate', '1hour', '6hours', '24hours', 'custom'] as const
export type PushFrequency = (typeof pushFrequencies)[number]

export const pushLimits = {
  delayMinutes: 10_080,
  notifications: 10,
  title: 120,
  body: 500,
  promptDelayMs: 600_000,
} as const

/** Defaults of A 9. */
export const DEFAULT_PUSH = {
  enabled: false,
  frequency: 'immediate',
  delay: 0,
  maxNotifications: 3,
  title: "Don't forget your items!",
  body: 'You have items waiting in your cart. Complete your purchase now!',
} as const

/** A 5: an invalid number becomes the minimum. */
const createBoundedNumber = (min: number, max: number) =>
  z
    .unknown()
    .transform((input) => Number(input))
    .transform((number) => (Number.isInteger(number) && number >= min && number <= max ? number : min))
    .pipe(z.number())

/** Text with Liquid variables, as in all messages. */
const createText = (longest: number) => z.string().trim().min(1).max(longest)

export const PushSettings = z.object({
  enabled: z.boolean(),
  frequency: z.enum(pushFrequencies),
  /** Minutes; applies to the frequency `custom`. */
  delay: createBoundedNumber(0, pushLimits.delayMinutes),
  /** Per person and cart. */
  maxNotifications: createBoundedNumber(1, pushLimits.notifications),
  title: createText(pushLimits.title),
  body: createText(pushLimits.body),
})
export type PushSettings = z.output<typeof PushSettings>

const color = z.string().regex(/^#[0-9a-f]{6}$/, 'A color such as #1f2937')

/**
 * The bar in which the widget asks before the browser does (decision 76). `{store}` in its text is the store’s name.
 */
export const PushPrompt = z.object({
  /** Milliseconds after the page was opened. */
  delayMs: z.number().int().min(0).max(pushLimits.promptDelayMs),
  title: z.string().trim().min(1).max(80),
  text: z.string().trim().min(1).max(300),
  accept: z.string().trim().min(1).max(30),
  decline: z.string().trim().min(1).max(30),
  place: z.enum(['bottom', 'top']),
  background: color,
  color,
  button: color,
  buttonColor: color,
})
export type PushPrompt = z.infer<typeof PushPrompt>

export const DEFAULT_PROMPT: PushPrompt = {
  delayMs: 5_000,
  title: 'Shall we remind you of your cart?',
  text: '{store} sends you a notification when something is left in your cart. You can stop this at any time.',
  accept: 'Yes, remind me',
  decline: 'Not now',
  place: 'bottom',
  background: '#ffffff',
  color: '#1f2937',
  button: '#1d4ed8',
  buttonColor: '#ffffff',
}

/** Days until a shopper is asked again. */
export const ASK_AGAIN_DAYS = 30

/** How widget and worker are installed on the shop’s pages (decision 75). */
export const pushMethods = ['plugin', 'functions', 'easy', 'button'] as const
export const PushMethod = z.enum(pushMethods)
export type PushMethod = z.infer<typeof PushMethod>

/** Path of the worker at the shop: the plugin and functions.php serve the first, an uploaded file is the second. */
export const WORKER_PATHS = {
  plugin: '/?recoup-sw=1',
  functions: '/?recoup-sw=1',
  easy: '/sw.js',
  button: '/sw.js',
} as const

const encodeBase64url = (bytes: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}={0,2}$`), 'Not a key of a subscription')

/** The format of `PushSubscription.toJSON()`. */
export const BrowserSubscription = z.object({
  endpoint: z.url({ protocol: /^https?$/ }).max(1_500),
  expirationTime: z.number().nullish(),
  keys: z.object({
    /** An uncompressed point on P-256, 65 bytes. */
    p256dh: encodeBase64url(65),
    auth: encodeBase64url(16),
  }),
})
export type BrowserSubscription = z.infer<typeof BrowserSubscription>

/**
 * Push payload for the worker (A 3: title, body, url, cartId). JSON in UTF-8, encrypted by RFC 8291, less than 3 KB.
 */
export interface PushPayload {
  title: string
  body: string
  /** The tracked link back to the cart, opened by a click on the notification or its first action. */
  url: string
  cartId: string | null
  icon?: string
  image?: string
  /** Per cart: a newer notification replaces an older one. */
  tag: string
  /** `open` acts like a click on the notification, `stop` ends these notifications. */
  actions: { action: 'open' | 'stop'; title: string }[]
  /** Signed token of this message for `POST /api/push-notifications/events`. Absent: nothing is reported. */
  token?: string
  /** Origin of that endpoint: the address of Recoup. */
  origin: string
}

/** Reported by the worker. Each event implies delivery; `click` is a touch, and `stop` ends these notifications. */
export const pushEvents = ['shown', 'click', 'close', 'stop'] as const
export const PushEvent = z.enum(pushEvents)
