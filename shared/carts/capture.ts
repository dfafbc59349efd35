import { z } from 'zod'

// What the capture script posts. The endpoint is public: only ids, quantities and contact are used (X5).

export const CAPTURE_MAX_BYTES = 16_384

const id = z.string().regex(/^\d{1,18}$/)

const wordingId = z.string().max(40)

/** Whether the box is ticked, its text, and the text's id. */
const ConsentAnswer = z.object({ isGiven: z.boolean(), wording: z.string().max(1_000), id: wordingId.optional() })

/** Attributes of a variation with an "Any …" attribute, which its id does not determine. */
const Choice = z.object({ name: z.string().max(100), value: z.string().max(200) })

export const CapturePost = z.object({
  /** Random per browser and visit; joins the posts of one cart. */
  cart: z.string().regex(/^[A-Za-z0-9_-]{16,64}$/),
  /** Token from the restore page's link: this browser continues that cart until it reports another address. */
  back: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .optional(),
  /** Random per browser; used to match carts, never to merge them. */
  device: z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,64}$/)
    .optional(),
  /** The page's `lang`, '' if it has none. Missing: an older script. */
  lang: z.string().optional(),
  /** Random per page view. `page` and `seq` give the posts of one page view their sequence. */
  page: z.string().regex(/^[A-Za-z0-9_-]{8,64}$/),
  seq: z.number().int().min(0).max(100_000),
  items: z
    .array(
      z.object({
        id,
        variation: id.optional(),
        quantity: z.number().int().min(1).max(9_999),
        choices: z.array(Choice).max(50).optional(),
      }),
    )
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
   * Present only if the page shows a consent box that the shopper ticked, or ticked and then unticked. An untouched box
   * is not reported. Old scripts report only `true` or `false` for email.
   */
  consent: z
    .object({
      email: z
        .union([ConsentAnswer, z.boolean().transform((isGiven) => ({ isGiven, wording: '', id: undefined }))])
        .optional(),
      sms: ConsentAnswer.optional(),
      whatsapp: ConsentAnswer.optional(),
    })
    .optional(),
  /** The shopper agreed in the shop's consent banner (C9). Older scripts set it for a ticked box, too. */
  agreed: z.literal(true).optional(),
  /** Ids of the texts of boxes ticked on this page or an earlier one, separated by commas. */
  ticked: z.string().max(130).optional(),
  /** On a checkout: the visible consent boxes, each with the id of its text, or ''. */
  boxes: z.object({ email: wordingId, sms: wordingId, whatsapp: wordingId }).partial().optional(),
})
export type CapturePost = z.infer<typeof CapturePost>
