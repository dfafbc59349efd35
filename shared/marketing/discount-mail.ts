import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { MessagePreview, SendReply, TestReply } from '../delivery/reminders.ts'
import { MailDocumentSchema } from '../messages/mail-document.ts'
import { AudienceFilters } from './audience.ts'

// Discount mail (B 2, 5, 7, 8, 9; decision 39): a coupon by email to chosen customers. The job of `sendDiscountOffers`
// is read and retried like that of reminders (`readBulkSend`, `retryBulkSend`) and accepts an `Idempotency-Key`.

export const discountTexts = {
  noCustomers: 'Please select at least one customer.',
  sent: 'Discount emails sent successfully!',
  failed: 'Failed to send discount email.',
  noAbandoned: 'No abandoned carts found.',
  noneFound: 'No customers found. Please check your store connection.',
  noCoupon: 'Please choose a coupon.',
  badCartUrl: 'Enter a full address, such as https://shop.example.com/cart',
  foreignCartUrl: 'The cart URL must be an address of your store.',
  openCartUrl: 'Your store uses https. The cart URL must begin with https:// too.',
  tooMany: 'At most 10,000 customers can get one discount mail. Narrow the search or select fewer.',
  notACustomer: 'No customer of the store has this address.',
  unknownCode: 'No coupon of the store has this code.',
  otherAmount: 'The coupon with this code has another amount.',
  otherType: 'The coupon with this code is of another type.',
  personalCode:
    'This coupon creates a code for each message. Choose it in the discount mail instead of entering a code.',
} as const

/** Default text of a discount mail. The discount is shown below the items of a cart. */
export const READY_DISCOUNT = {
  subject: 'A coupon for you at {{ store_name }}',
  body: `# A coupon for you

Hi {{ customer_name }},

Here is {{ coupon_offer }} at {{ store_name }}. Your code is {{ coupon_code }}.

{% if coupon_minimum %}
It is for orders from {{ coupon_minimum }}.
{% endif %}

{% if coupon_expires %}
It is valid until {{ coupon_expires }}.
{% endif %}

{{ cart_items }}

{{ checkout_link }}

Warm regards,
{{ store_name }}`,
} as const

/** Maximum number of recipients. */
export const MAX_RECIPIENTS = 10_000

const customerIds = z.array(z.guid())

/** All search results, evaluated on the server. */
const Matching = z.object({
  search: z.string().max(200).default(''),
  registered: z.enum(['yes', 'no']).optional(),
  abandonedOnly: z.boolean().default(false),
  /** Limits customers with an abandoned cart to these audience filters (Starter or higher). */
  filters: AudienceFilters.optional(),
  /** Excludes these customers. */
  except: customerIds.max(MAX_RECIPIENTS).default([]),
})

/** Either chosen customers, or all that match. */
const recipientFields = {
  customers: customerIds.min(1, discountTexts.noCustomers).max(MAX_RECIPIENTS, discountTexts.tooMany).optional(),
  matching: Matching.optional(),
}

type Recipients = { customers?: unknown; matching?: unknown }
const hasOneRecipientKind = ({ customers, matching }: Recipients) =>
  (customers === undefined) !== (matching === undefined)
const oneOfBoth = { path: ['customers'], error: discountTexts.noCustomers }

const offerFields = {
  couponId: z.uuid({ error: discountTexts.noCoupon }),
  /** A page of the shop that the link opens instead of the cart. */
  cartUrl: z
    .url({ protocol: /^https?$/, error: discountTexts.badCartUrl })
    .max(2_048)
    .optional(),
  subject: z.string().trim().min(1).max(200).optional(),
  body: z.string().min(1).max(50_000).optional(),
  /** The email as a document, instead of subject and body. */
  design: MailDocumentSchema.nullable().optional(),
}

const ofStore = { platform: z.string().max(40).optional(), storeId: z.string().max(2_048).optional() }

export const sendDiscountOffers = endpoint({
  method: 'POST',
  path: '/api/email/send-discount-offers',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary:
    'Send a coupon by email to customers, each about their latest abandoned cart if any; returns the job immediately',
  body: z.object({ ...recipientFields, ...offerFields, ...ofStore }).refine(hasOneRecipientKind, oneOfBoth),
  reply: z.object({ jobId: z.string() }),
})

/** Accepts "10", "10%" and "$5.00", which forms send. */
const amount = z.union([z.number(), z.string().max(40)]).transform((input, { addIssue }) => {
  const number = typeof input === 'number' ? input : Number(input.replace(/[^0-9.]/g, '') || Number.NaN)
  if (Number.isFinite(number) && number >= 0) return number
  addIssue({ code: 'custom', message: 'Discount amount must be a number' })
  return z.NEVER
})

export const sendDiscountOffer = endpoint({
  method: 'POST',
  path: '/api/email/send-discount-offer',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary: 'Send a coupon of the store by email to one of its customers',
  body: z.object({
    to: z.string().max(320),
    storeUrl: z.string().max(2_048).optional(),
    ...ofStore,
    discountCode: z.string().trim().min(1).max(100),
    discountAmount: amount,
    discountType: z.enum(['percentage', 'fixed']),
  }),
  reply: SendReply,
})

export const discountEligibility = endpoint({
  method: 'POST',
  path: '/api/email/discount-eligibility',
  permission: 'carts:read',
  scope: 'store',
  query: storeQuery,
  summary: 'Which of these customers would get the discount mail now, with reasons; changes nothing',
  body: z
    .object({ ...recipientFields, couponId: offerFields.couponId.optional(), ...ofStore })
    .refine(hasOneRecipientKind, oneOfBoth),
  reply: z.object({
    total: z.number(),
    eligible: z.array(z.string()),
    reasons: z.array(
      z.object({
        /** A code of `shared/delivery/reasons.ts`; `customer_missing` for ids that are not customers of the store. */
        reason: z.string(),
        explanation: z.string(),
        count: z.number(),
        customers: z.array(z.string()),
        /** When all of them can be retried; null: never or unknown. */
        until: z.string().nullable(),
      }),
    ),
  }),
})

/** The mail as one customer would get it. */
const OneOffer = z.object({
  customer: z.guid(),
  couponId: offerFields.couponId.optional(),
  cartUrl: offerFields.cartUrl,
  subject: z.string().max(200).optional(),
  body: z.string().max(50_000).optional(),
  design: offerFields.design,
  ...ofStore,
})

export const previewDiscount = endpoint({
  method: 'POST',
  path: '/api/email/discount-preview',
  permission: 'carts:read',
  scope: 'store',
  query: storeQuery,
  summary:
    'Preview the discount mail for one customer, rendered by the sending code, with an example of a personal code',
  body: OneOffer,
  reply: MessagePreview,
})

export const testDiscount = endpoint({
  method: 'POST',
  path: '/api/email/discount-test',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary: 'Send yourself a test of one customer’s discount mail, with an example of a personal code',
  body: OneOffer,
  reply: TestReply,
})
