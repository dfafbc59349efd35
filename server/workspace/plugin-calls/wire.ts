import { z } from 'zod'
import { boxChannels, boxPlaces } from '../../../shared/shoppers/consent-box.ts'
import { MAX_GOODS } from '../../access/plugin/public.ts'

// Schemas of the plugin's calls (docs/plugin-protocol.md). Calls are signed, but limited as well, because a shop may be
// compromised.

/** Maximum body size by call, in bytes. */
export const MAX_BYTES = {
  connect: 16_384,
  batch: 524_288,
  restore: 1_024,
  /** May contain an order report. */
  beat: 524_288,
  disconnect: 1_024,
  privacy: 1_024,
} as const

export const MAX_ENTRIES = 50
const MAX_LINES = 500

const id = z.string().regex(/^[1-9]\d{0,17}$/)
const version = z.string().max(40)
const install = z.string().regex(/^[0-9a-f]{32}$/)
const testId = z.string().regex(/^[0-9a-f]{32}$/)
const cartToken = z.string().regex(/^[\w-]{32}$/)
/** Truncates longer texts instead of rejecting them. */
const cut = (max: number) => z.string().transform((text) => text.slice(0, max))
const amount = z.string().max(40)

const Box = z.object({
  isGiven: z.boolean(),
  id: z.string().max(40).optional(),
  wording: z.string().max(1_000).default(''),
})
const Consents = z.partialRecord(z.enum(boxChannels), Box)

/** The consent boxes that the shopper saw, by place and channel. Missing before plugin version 0.2.0. */
const Forms = z.partialRecord(
  z.enum(boxPlaces),
  z.partialRecord(z.enum(boxChannels), z.object({ id: z.string().max(40), isTicked: z.boolean().optional() })),
)

const Line = z.object({
  product: id,
  variation: id.nullish(),
  quantity: z.number().int().min(1).max(1_000_000),
  name: cut(300).nullish(),
  sku: cut(100).nullish(),
  price: amount.nullish(),
  image: cut(2_000).nullish(),
  choices: z
    .array(z.object({ name: cut(100), value: cut(200) }))
    .max(50)
    .nullish(),
})

const Contact = z.object({
  email: z.string().max(254).optional(),
  phone: z.string().max(40).optional(),
  firstName: cut(80).optional(),
  lastName: cut(80).optional(),
  country: z.string().max(2).optional(),
  state: z.string().max(80).optional(),
})

const Customer = z.object({ id, lastActive: z.number().int().min(0).max(9_999_999_999).nullish() })

export const CartEntry = z.object({
  type: z.literal('cart'),
  cart: cartToken,
  lines: z.array(Line).max(MAX_LINES),
  coupons: z.array(cut(60)).max(20).default([]),
  currency: z.string().max(3),
  contact: Contact.optional(),
  customer: Customer.nullish(),
  consent: Consents.optional(),
  /** The shopper agreed in the shop's consent banner (C9). */
  agreed: z.literal(true).optional(),
  boxes: z.partialRecord(z.enum(boxChannels), z.string().max(40)).optional(),
  forms: Forms.optional(),
  back: z
    .string()
    .regex(/^[\w-]{43}$/)
    .nullish(),
  device: z
    .string()
    .regex(/^[\w-]{16,64}$/)
    .nullish(),
  draft: id.nullish(),
  client: z
    .string()
    .regex(/^[\w-]{22}$/)
    .nullish(),
  geo: z.object({ country: z.string().max(2), city: cut(100).nullish() }).nullish(),
  agent: z.enum(['phone', 'desktop']).nullish(),
  /** Language of the page, as WordPress writes it. `isTranslated`: a translation plugin named it. */
  locale: z.string().max(100).nullish().catch(null),
  isTranslated: z.boolean().nullish().catch(null),
})
export type CartEntry = z.output<typeof CartEntry>

const OrderEntry = z.object({
  type: z.literal('order'),
  order: z.record(z.string(), z.unknown()),
  cart: cartToken.nullish(),
  forms: Forms.optional(),
})
const ConsentEntry = z.object({ type: z.literal('consent'), customer: Customer, contact: Contact, consent: Consents })
/** My account was saved: the boxes it showed, without the customer. */
const FormEntry = z.object({ type: z.literal('form'), forms: Forms })
export type ConsentEntry = z.output<typeof ConsentEntry>
const TestEntry = z.object({ type: z.literal('test'), test: testId })

const seq = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)

export const Entry = z.discriminatedUnion('type', [CartEntry, OrderEntry, ConsentEntry, FormEntry, TestEntry])
export type Entry = z.output<typeof Entry>
/** The common fields of all entries. */
export const Numbered = z.looseObject({ seq, age: z.number().int().min(0) })

/** The envelope: entries are parsed one by one, so that an invalid one does not fail the others. */
export const Batch = z.object({
  v: z.literal(1),
  plugin: version,
  install,
  entries: z.array(z.unknown()).min(1).max(MAX_ENTRIES),
})

export const Restore = z.object({ token: z.string().max(100) })
export const Disconnect = z.object({ v: z.literal(1), reason: z.enum(['owner', 'uninstall']) })

const seconds = z.number().int().min(0).max(4_000_000_000)
const count = z.number().int().min(0).max(1_000_000_000)
const Health = z.object({
  queue: count.catch(0),
  oldestS: seconds.catch(0),
  droppedDay: count.catch(0),
  errorsDay: count.catch(0),
  cronS: seconds.nullable().catch(null),
  isCronDisabled: z.boolean().catch(false),
  isBlocked: z.boolean().catch(false),
  checkout: z.enum(['block', 'classic', 'both', 'none']).catch('none'),
  hasKey: z.boolean().catch(true),
  boxes: z.array(z.string().max(20)).max(10).catch([]),
})

export const Beat = z.object({
  v: z.literal(1),
  plugin: version,
  install,
  health: Health,
  settings: z.string().max(64).nullish(),
  orders: z
    .object({
      since: z.string().max(40),
      age: seconds,
      /**
       * `ask.at` of the answer that requested it, and the delay until the report began. Missing before plugin version
       * 0.2.0.
       */
      askedAt: z.string().max(40).nullish(),
      sinceAskedS: seconds.nullish(),
      isComplete: z.boolean(),
      list: z.array(z.record(z.string(), z.unknown())).max(100),
      /** Parsed one by one. Missing before plugin version 0.2.0. */
      goods: z.array(z.unknown()).max(MAX_GOODS).optional(),
    })
    .nullish(),
})
export type Beat = z.output<typeof Beat>

export const Connect = z.looseObject({
  v: z.literal(1),
  plugin: version,
  home: z.string().max(500),
  salt: z.string().regex(/^[\w-]{43}$/),
  install,
})

/** Query of the connect page that the plugin opens. */
export const Invitation = z.object({
  v: z.literal(1),
  home: z.string().max(500),
  name: cut(200),
  return: z.string().max(1_000),
  state: z.string().regex(/^[\w-]{43}$/),
  plugin: version,
})

/** A request of WordPress' tools for personal data. */
export const PrivacyRequest = z.object({
  ask: z.enum(['export', 'erase']),
  email: z.string().min(3).max(254),
  page: z.number().int().min(1).max(10_000).default(1),
})
