import { z } from 'zod'

// What the script on the shop's pages posts. Public and hostile: only ids, quantities and contact are taken from it (X5).

export const CAPTURE_MAX_BYTES = 16_384

const id = z.string().regex(/^\d{1,18}$/)

const wordingName = z.string().max(40)

/** What a box says: agreed, or taken back; the words beside it, and which of the store's wordings the box names. */
const Said = z.object({ isGiven: z.boolean(), wording: z.string().max(1_000), id: wordingName.optional() })

/** The attributes of a variation, by which the store knows a line whose id leaves one of them open. */
const Choice = z.object({ name: z.string().max(100), value: z.string().max(200) })

export const CapturePost = z.object({
  /** Random per browser and visit; joins the posts of one cart. */
  cart: z.string().regex(/^[A-Za-z0-9_-]{16,64}$/),
  /** Of the link that led back from the restore page: until this browser tells an address, it continues that cart. */
  back: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .optional(),
  /** Random per browser; matches, never merges. */
  device: z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,64}$/)
    .optional(),
  /** Random per page view, and a counter within it: orders the posts of a page whatever order they arrive in. */
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
   * Present only when the page shows a consent box of ours that the shopper ticked, or ticked and unticked again. A box left alone says
   * nothing. A script from before wordings had names says of email no more than `true` or `false`.
   */
  consent: z
    .object({
      email: z.union([Said, z.boolean().transform((isGiven) => ({ isGiven, wording: '', id: undefined }))]).optional(),
      sms: Said.optional(),
      whatsapp: Said.optional(),
    })
    .optional(),
  /** The shopper agreed to it in the shop's consent banner (C9). Older scripts say it of a ticked box, too. */
  agreed: z.literal(true).optional(),
  /** The wordings of the boxes that the shopper ticked on this page or an earlier one, with commas between them. */
  ticked: z.string().max(130).optional(),
  /** On a checkout: the consent boxes it shows, each with the wording it names, or ''. */
  boxes: z.object({ email: wordingName, sms: wordingName, whatsapp: wordingName }).partial().optional(),
})
export type CapturePost = z.infer<typeof CapturePost>
