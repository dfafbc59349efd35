import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { buildPageFields, DownloadLink, Pagination } from '../core/paging.ts'
import { reachFields } from './reach.ts'
import { ShopBrand } from './shop-brand.ts'

// Carts in the API (B 3, decision 11), and the record of what was sent or not, with the reason (D12).

export const CartBadge = z.enum(['No Action', 'Email Sent', 'SMS Sent', 'WhatsApp Sent', 'No Response', 'Recovered'])
export type CartBadge = z.infer<typeof CartBadge>
export const CartState = z.enum(['active', 'abandoned', 'recovered', 'purchased', 'emptied', 'lost', 'merged'])
export type CartState = z.infer<typeof CartState>

/**
 * The chosen attributes of a variation, in the store's wording. Reported by a browser: sent back to the store, never
 * displayed (X5).
 */
export interface ItemChoice {
  name: string
  value: string
}

/** A stored cart line: names, prices and pictures come from the store, never from a browser (X5). */
export interface CartItem {
  productId: string
  variationId: string | null
  name: string
  sku: string | null
  quantity: number
  unitPriceMinor: number
  imageUrl: string | null
  choices?: ItemChoice[]
}

/** The stations of a cart after its abandonment: messages and clicks. */
export const CartPath = z.object({
  /** Reminders of the cart's flow. */
  reminders: z.object({ sent: z.number(), planned: z.number() }),
  /** `sent`: at least one message; otherwise the state of the next one, or of the last. `none`: no message. */
  message: z.enum(['none', 'waiting', 'on_hold', 'sent', 'failed', 'stopped']),
  /** Time of the newest message sent. */
  sentAt: z.string().nullable(),
  /** When the next message is due. */
  nextAt: z.string().nullable(),
  /** Why no message was sent yet; '' if there is nothing to explain. */
  explanation: z.string(),
  /** The newest click by a person. */
  clickedAt: z.string().nullable(),
})
export type CartPath = z.infer<typeof CartPath>

export const CartView = z.object({
  cart_id: z.string(),
  id: z.string(),
  customer_name: z.string(),
  customer_email: z.string().nullable(),
  customer_data: z.object({
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    phone: z.string().nullable(),
    whatsapp: z.string().nullable(),
  }),
  phone: z.string().nullable(),
  /** Not in the specification: the customer's id; null for a guest without a contact. */
  customer_id: z.string().nullable(),
  items: z.array(
    z.object({
      product_id: z.string(),
      product_name: z.string(),
      price: z.number(),
      quantity: z.number(),
      image_url: z.string().nullable(),
    }),
  ),
  total: z.number(),
  currency: z.string(),
  timestamp: z.number(),
  last_activity: z.string(),
  abandoned_at: z.string().nullable(),
  status: CartBadge,
  state: CartState,
  /**
   * Not in the specification: the order does not count, because it was cancelled, fully refunded, or may be a request
   * for a quote (S3, S4).
   */
  is_void: z.literal(true).optional(),
  /**
   * Not in the specification: the email behind `status` was not sent, but is in this server's mailbox, because no mail
   * server is configured.
   */
  is_in_mailbox: z.boolean(),
  sms_status: z.string().nullable(),
  sms_sent_at: z.string().nullable(),
  whatsapp_status: z.string().nullable(),
  whatsapp_sent_at: z.string().nullable(),
  /** Not in the specification: coupon codes in the cart. */
  coupons: z.array(z.string()),
  /**
   * Not in the specification: entered above the limits on new contacts and unconfirmed, so nothing is sent to it (X5).
   */
  unconfirmed: z.object({ email: z.string().nullable(), phone: z.string().nullable() }),
  /** Not in the specification: WhatsApp's read receipt, which shoppers can disable. */
  whatsapp_read_at: z.string().nullable(),
  /** Not in the specification: in the list of carts and for a single cart. */
  path: CartPath.optional(),
})
export type CartView = z.infer<typeof CartView>

/** What the holder of a restore token sees: no personal data (decision 4). */
export const RestorableCart = z.object({
  items: z.array(
    CartView.shape.items.element.extend({
      /** The expected result, before the store is asked. */
      outcome: z.enum(['ok', 'quantity_clamped', 'price_changed', 'gone', 'choose_again']),
      now: z.object({ quantity: z.number(), price: z.number() }),
      /** The product’s page in the store. */
      url: z.string().nullable(),
    }),
  ),
  total: z.number(),
  currency: z.string(),
  /** Of the page: its words are in this language, amounts in its format. */
  locale: z.string(),
  storeName: z.string(),
  brand: ShopBrand,
  shopUrl: z.string(),
  /** Already purchased: there is nothing to restore. */
  isOrdered: z.boolean(),
  expiresAt: z.string(),
  /** Coupon of the message; `saving` is null if it cannot be computed. */
  coupon: z.object({ code: z.string(), saving: z.number().nullable() }).nullable(),
})
export type RestorableCart = z.infer<typeof RestorableCart>

export const sortColumns = ['timestamp', 'value', 'customer', 'email', 'phone', 'items', 'status'] as const

export const listAbandonedCarts = endpoint({
  method: 'GET',
  path: '/api/carts/abandoned',
  permission: 'carts:read',
  scope: 'store',
  summary: 'Abandoned, recovered and lost carts, newest activity first',
  query: storeQuery.extend({
    ...buildPageFields({ limit: 10 }),
    status: z.string().max(40).optional(),
    search: z.string().max(200).optional(),
    ...reachFields,
    sort: z.enum(sortColumns).default('timestamp'),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  reply: z.object({
    carts: z.array(CartView),
    pagination: Pagination.extend({
      /** Search counts stop at 1,000: more than `total` match. */
      totalIsCapped: z.boolean().optional(),
      /** Number of newest carts searched for a substring, because no cart has the text as a prefix. */
      lookedThrough: z.number().optional(),
      /** For a reach filter: only this many of the newest carts were evaluated, and there are more. */
      reachOfNewest: z.number().optional(),
    }),
    /** Age of the data (Y3): seconds since the start of the last complete order pull. */
    syncAgeSeconds: z.number().nullable(),
  }),
})

export const exportCarts = endpoint({
  method: 'GET',
  path: '/api/carts/export',
  permission: 'account:export',
  scope: 'store',
  summary: 'A link, valid for two minutes, to all carts of a filter as a CSV file, newest activity first',
  query: storeQuery.extend({
    status: z.string().max(40).optional(),
    search: z.string().max(200).optional(),
    ...reachFields,
  }),
  reply: DownloadLink,
})

export const getCart = endpoint({
  method: 'GET',
  path: '/api/carts/:id',
  permission: 'public',
  scope: 'none',
  summary: 'A cart for a member of its store; for a restore token (rt_…), its public form',
  params: z.object({ id: z.string().max(200) }),
  query: storeQuery,
  reply: z.object({ cart: z.union([CartView, RestorableCart]) }),
})

const Decision = z.object({
  at: z.string(),
  outcome: z.enum(['send', 'hold', 'skip', 'cancel', 'result']),
  reason: z.string(),
  /** The reason, as a sentence for a shop owner. */
  explanation: z.string(),
  until: z.string().nullable(),
  inputs: z.record(z.string(), z.unknown()),
})

/** Origin of a message: a flow, a campaign, a member's request, or the store’s push notifications (decision 77). */
export const originKinds = ['flow', 'campaign', 'manual', 'push'] as const
export type OriginKind = (typeof originKinds)[number]

export const MessageView = z.object({
  id: z.string(),
  originKind: z.enum(originKinds),
  originId: z.string(),
  originName: z.string(),
  /** For a flow: the current position of its step, or its last one if the step was removed. */
  step: z.number(),
  /** Name of its step, if that was removed; otherwise null. */
  removedStep: z.string().nullable(),
  channel: z.enum(['email', 'sms', 'whatsapp', 'push']),
  /** A, B, C …: the variant of a split step; null: not split, or unknown. */
  variant: z.string().nullable(),
  /** Forecast of an unsent message, on the page of its cart; null: unknown. */
  forecast: z
    .object({
      /** The expected channel, if its step has several. */
      channel: z.enum(['email', 'sms', 'whatsapp', 'push']),
      isExpected: z.boolean(),
      /** Why it will not be sent, or not through the channels before this one; '': nothing to explain. */
      explanation: z.string(),
    })
    .nullable(),
  state: z.string(),
  reason: z.string().nullable(),
  explanation: z.string(),
  dueAt: z.string(),
  expiresAt: z.string(),
  sentAt: z.string().nullable(),
  /** SMS and WhatsApp, as reported by the provider. */
  deliveredAt: z.string().nullable(),
  readAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  to: z.string().nullable(),
  subject: z.string().nullable(),
  html: z.string().nullable(),
  response: z.string().nullable(),
  decisions: z.array(Decision),
})
export type MessageView = z.infer<typeof MessageView>

/** Name of a manual message with a coupon. */
export const DISCOUNT_MAIL = 'Discount mail'

/** Within a sentence: by email, by SMS. */
export const channelLabels = { email: 'email', sms: 'SMS', whatsapp: 'WhatsApp', push: 'push' } as const

type NamedMessage = Pick<MessageView, 'originKind' | 'originName' | 'channel' | 'step' | 'removedStep'>

/**
 * The name of a message: the campaign's name, or the current position of its flow step, which another step may have had
 * before.
 */
export function getMessageName({ originKind, originName, channel, step, removedStep }: NamedMessage): string {
  if (originKind === 'flow')
    return `${removedStep ? `${removedStep} (removed)` : `Reminder ${step}`} by ${channelLabels[channel]}`
  if (originKind === 'push') return `Push notification ${step}`
  if (originKind === 'campaign' || originName === DISCOUNT_MAIL) return originName
  return `Manual ${channelLabels[channel]}`
}

export const TimelineEntry = z.object({
  at: z.string(),
  kind: z.string(),
  title: z.string(),
  text: z.string(),
  messageId: z.string().nullable(),
})
export type TimelineEntry = z.infer<typeof TimelineEntry>

export const cartMessages = endpoint({
  method: 'GET',
  path: '/api/carts/:id/messages',
  permission: 'carts:read',
  scope: 'store',
  summary: 'Every message of a cart with its decision record, and the cart’s timeline',
  params: z.object({ id: z.uuid() }),
  query: storeQuery,
  reply: z.object({
    messages: z.array(MessageView),
    timeline: z.array(TimelineEntry),
    /** The flow of the cart, which a merge with another cart does not change; null: none. */
    flow: z.object({ id: z.uuid(), name: z.string(), isOn: z.boolean() }).nullable(),
    order: z
      .object({
        orderId: z.string(),
        total: z.number(),
        net: z.number(),
        currency: z.string(),
        purchasedAt: z.string(),
        attributedMessageId: z.string().nullable(),
      })
      .nullable(),
  }),
})

export const cartTexts = {
  noMatch: 'No abandoned carts match your current filters. Try adjusting your search or filter criteria.',
  none: 'No abandoned carts found. Your store might not have any abandoned carts yet.',
  emptyPage: 'No abandoned carts to display on this page.',
  loadFailed: 'Failed to fetch abandoned carts. Please try again.',
  noPlatform: 'No platform selected. Please connect a store first.',
} as const
