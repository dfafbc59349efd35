import { z } from 'zod'

// What the script on the shop's pages posts. Public and hostile: only ids, quantities and contact are taken from it (X5).

export const CAPTURE_MAX_BYTES = 16_384

const id = z.string().regex(/^\d{1,18}$/)

/** What a box for SMS or WhatsApp says: agreed, or taken back, and the words beside it. */
const Said = z.object({ isGiven: z.boolean(), wording: z.string().max(1_000) })

export const CapturePost = z.object({
  /** Random per browser and visit; joins the posts of one cart. */
  cart: z.string().regex(/^[A-Za-z0-9_-]{16,64}$/),
  /** Random per browser; matches, never merges. */
  device: z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,64}$/)
    .optional(),
  /** Random per page view, and a counter within it: orders the posts of a page whatever order they arrive in. */
  page: z.string().regex(/^[A-Za-z0-9_-]{8,64}$/),
  seq: z.number().int().min(0).max(100_000),
  items: z
    .array(z.object({ id, variation: id.optional(), quantity: z.number().int().min(1).max(9_999) }))
    .max(200)
    .optional(),
  coupons: z.array(z.string().max(60)).max(20).optional(),
  contact: z
    .object({
      email: z.string().max(254).optional(),
      phone: z.string().max(40).optional(),
      firstName: z.string().max(80).optional(),
      lastName: z.string().max(80).optional(),
      country: z.string().length(2).optional(),
    })
    .optional(),
  /**
   * Present only when the page shows a consent box of ours that the shopper ticked, or ticked and unticked again. A box left alone says
   * nothing. `wording` is what stands beside the one for email.
   */
  consent: z
    .object({
      email: z.boolean().optional(),
      wording: z.string().max(1_000).optional(),
      sms: Said.optional(),
      whatsapp: Said.optional(),
    })
    .optional(),
})
export type CapturePost = z.infer<typeof CapturePost>
