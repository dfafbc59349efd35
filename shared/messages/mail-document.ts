import { z } from 'zod'

// A mail as an owner builds it: bands of blocks and a fixed footer, as data. It has no colours, pixels or fonts: they
// come from brand kit and theme. The same limits apply in the editor and on the server.

export const mailLimits = {
  bands: 12,
  blocksOfBand: 40,
  blocksOfColumn: 8,
  /** Of the whole mail. */
  blocks: 120,
  runs: 200,
  subjectRuns: 40,
  runLength: 5_000,
  /** All words of the mail. */
  characters: 40_000,
  legacyText: 60_000,
  legacySubject: 500,
  items: 12,
  label: 60,
  footerText: 300,
} as const

export const themeNames = ['quiet', 'warm', 'bold', 'letter'] as const
export type ThemeName = (typeof themeNames)[number]

/** Of the words that Recoup adds. */
export const mailLanguages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl'] as const
export type MailLanguage = (typeof mailLanguages)[number]

/** Of a tag such as `de-AT`; English for a language without texts. */
export function findMailLanguage(tag: string): MailLanguage {
  const language = tag.split(/[-_]/, 1)[0]!.toLowerCase()
  return mailLanguages.find((known) => known === language) ?? 'en'
}

export const couponValues = [
  'coupon_code',
  'coupon_amount',
  'coupon_offer',
  'coupon_minimum',
  'coupon_expires',
  'coupon_saving',
] as const
export type CouponValue = (typeof couponValues)[number]

/** `checkout_link` is the link with its own label. */
export const valueNames = [
  'customer_name',
  'cart_total',
  'discounted_total',
  'store_name',
  'checkout_link',
  ...couponValues,
] as const
export type ValueName = (typeof valueNames)[number]

export const showNames = [
  'always',
  'with_coupon',
  'without_coupon',
  'several_items',
  'total_unchanged',
  ...couponValues.map((name) => `has:${name}` as const),
  ...couponValues.map((name) => `lacks:${name}` as const),
] as const
/** When a block or band is shown. */
export type Show = (typeof showNames)[number]

const Id = z.string().regex(/^[a-z0-9]{4,12}$/, 'An id has 4 to 12 lower-case letters and digits')
const ShowSchema = z.enum(showNames).default('always')

const isWebAddress = (text: string): boolean => {
  const url = text.length <= 2_000 && URL.canParse(text) ? new URL(text) : null
  return url !== null && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password
}
const isMailAddress = (text: string): boolean => /^mailto:[^\s@?#<>"']{1,64}@[^\s@?#<>"']{1,190}$/.test(text)

/** `cart` and `shop` are tracked links of the message. */
const Href = z
  .string()
  .max(2_000)
  .refine(
    (text) => text === 'cart' || text === 'shop' || isWebAddress(text) || isMailAddress(text),
    'A link leads to the cart, the shop, a web address (https://…) or an email address',
  )

const Marks = z
  .array(z.enum(['bold', 'italic', 'underline']))
  .max(3)
  .default([])

const InlineSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('text'),
    text: z.string().min(1).max(mailLimits.runLength),
    marks: Marks,
    href: Href.optional(),
  }),
  z.strictObject({
    kind: z.literal('value'),
    name: z.enum(valueNames),
    /** Shown where the value is unknown. */
    fallback: z.string().max(80).optional(),
    marks: Marks,
  }),
  z.strictObject({ kind: z.literal('break') }),
])
export type Inline = z.infer<typeof InlineSchema>

const Inlines = z.array(InlineSchema).max(mailLimits.runs)
const Align = z.enum(['start', 'center']).default('start')
const Label = z.string().max(mailLimits.label)

const base = { id: Id, show: ShowSchema }

const leaves = [
  z.strictObject({
    ...base,
    type: z.literal('heading'),
    level: z.literal([1, 2]).default(1),
    align: Align,
    inlines: Inlines,
  }),
  z.strictObject({
    ...base,
    type: z.literal('text'),
    size: z.enum(['body', 'lead', 'small', 'label']).default('body'),
    align: Align,
    inlines: Inlines,
  }),
  z
    .strictObject({
      ...base,
      type: z.literal('image'),
      /** The file's name: the hash of its content. */
      asset: z.string().regex(/^[0-9a-f]{16,64}\.(png|jpg)$/, 'An image is uploaded first; it has no other address'),
      width: z.int().min(1).max(2_400),
      height: z.int().min(1).max(4_800),
      alt: z.string().max(250).default(''),
      isDecorative: z.boolean().default(false),
      href: Href.optional(),
    })
    .refine(({ alt, isDecorative }) => isDecorative || alt.trim() !== '', {
      path: ['alt'],
      message: 'Describe the picture, or mark it as decorative',
    }),
  z.strictObject({
    ...base,
    type: z.literal('items'),
    layout: z.enum(['list', 'large', 'grid']).default('large'),
    part: z.enum(['all', 'first', 'rest']).default('all'),
    max: z.int().min(1).max(mailLimits.items).default(8),
    hasPrices: z.boolean().default(true),
    hasQuantities: z.boolean().default(true),
    /** With rows for the coupon's saving and the remaining total. */
    hasCoupon: z.boolean().default(false),
  }),
  z.strictObject({
    ...base,
    type: z.literal('totals'),
    /** Empty: the language's own word. */
    label: Label.default(''),
    amount: z.enum(['cart_total', 'discounted_total']).default('discounted_total'),
    /** Shows the total without the coupon, struck through. */
    hasBefore: z.boolean().default(true),
  }),
  z.strictObject({
    ...base,
    type: z.literal('coupon'),
    inlines: Inlines,
    hasSaving: z.boolean().default(true),
    hasExpiry: z.boolean().default(true),
  }),
  z.strictObject({
    ...base,
    type: z.literal('button'),
    /** Empty: the language's own words. */
    label: Label.default(''),
    href: Href.default('cart'),
    isWide: z.boolean().default(false),
    style: z.enum(['solid', 'outline']).default('solid'),
    align: Align,
  }),
  z.strictObject({
    ...base,
    type: z.literal('product'),
    productId: z.string().min(1).max(64),
    label: Label.default(''),
  }),
  z.strictObject({
    ...base,
    type: z.literal('trust'),
    points: z
      .array(z.strictObject({ title: z.string().max(40), text: z.string().max(120) }))
      .min(1)
      .max(3),
  }),
  z.strictObject({ ...base, type: z.literal('divider') }),
  z.strictObject({ ...base, type: z.literal('spacer'), size: z.literal([8, 16, 32, 48]) }),
  z.strictObject({ ...base, type: z.literal('social'), align: Align }),
  z.strictObject({
    ...base,
    type: z.literal('legacy_text'),
    /** Text or HTML with Liquid, rendered and sanitized by the server. The only words that are read as Liquid. */
    source: z.string().min(1).max(mailLimits.legacyText),
  }),
] as const

const LeafSchema = z.discriminatedUnion('type', [...leaves])
export type Leaf = z.infer<typeof LeafSchema>

const Column = z.array(LeafSchema).max(mailLimits.blocksOfColumn)
const ColumnsSchema = z.strictObject({
  ...base,
  type: z.literal('columns'),
  split: z.enum(['1-1', '1-2', '2-1']).default('1-1'),
  columns: z.tuple([Column, Column]),
})
const BlockSchema = z.discriminatedUnion('type', [...leaves, ColumnsSchema])
export type Block = z.infer<typeof BlockSchema>

export const backgroundNames = ['card', 'soft', 'accent', 'ink'] as const
export type Background = (typeof backgroundNames)[number]

const Band = z.strictObject({
  id: Id,
  background: z.enum(backgroundNames).default('card'),
  show: ShowSchema,
  blocks: z.array(BlockSchema).min(1, 'A section has at least one block').max(mailLimits.blocksOfBand),
})

const MailFields = z.strictObject({
  version: z.literal(1),
  theme: z.enum(themeNames),
  /** Of the mail's words: added words, amounts and dates follow it. null: the store's. */
  language: z.enum(mailLanguages).nullable().default(null),
  /** `legacy_text`: a subject with Liquid that has no other form; the server renders it. */
  subject: z.union([
    z.array(InlineSchema).max(mailLimits.subjectRuns),
    z.strictObject({ kind: z.literal('legacy_text'), source: z.string().max(mailLimits.legacySubject) }),
  ]),
  /** The line after the subject in the inbox; empty: the first words of the mail. */
  preview: z.array(InlineSchema).max(20),
  bands: z.array(Band).min(1, 'A mail has at least one section').max(mailLimits.bands),
  /** Always the end of the mail, with sender, postal address, reason and unsubscribe link. */
  footer: z.strictObject(
    {
      /** Empty: the brand kit's. */
      text: z.string().max(mailLimits.footerText).default(''),
      hasSocial: z.boolean().default(true),
    },
    'Every mail ends with the footer',
  ),
})
export type MailDocument = z.infer<typeof MailFields>
/** As written by hand, without defaults. */
export type MailDocumentInput = z.input<typeof MailFields>

/** The band of a text template that was opened as a document. The editor's first change gives it another id. */
export const OPENED_BAND = 'band0001'

/** Whether an owner has edited it as a document; otherwise it is a text, and can be edited as one. */
export const isDesigned = (document: MailDocument | null | undefined): document is MailDocument =>
  document?.bands.every(({ id }) => id !== OPENED_BAND) ?? false

/** Every block, in order, with those in columns. */
export const listBlocks = ({ bands }: Pick<MailDocument, 'bands'>): Block[] =>
  bands.flatMap(({ blocks }) =>
    blocks.flatMap((block): Block[] => (block.type === 'columns' ? [block, ...block.columns.flat()] : [block])),
  )

const measureInlines = (inlines: readonly Inline[]): number =>
  inlines.reduce((sum, run) => sum + (run.kind === 'text' ? run.text.length : 1), 0)

export const MailDocumentSchema = MailFields.superRefine((document, context) => {
  const blocks = listBlocks(document)
  const known = new Set<string>()
  for (const { id } of [...document.bands, ...blocks]) {
    if (known.has(id)) context.addIssue({ code: 'custom', path: ['bands'], message: `Two blocks have the id ${id}` })
    known.add(id)
  }
  if (blocks.length > mailLimits.blocks) {
    context.addIssue({ code: 'custom', path: ['bands'], message: `A mail has at most ${mailLimits.blocks} blocks` })
  }
  const lengths = blocks.map((block) => ('inlines' in block ? measureInlines(block.inlines) : 0))
  if (sum(lengths) > mailLimits.characters) {
    const most = mailLimits.characters.toLocaleString('en-US')
    context.addIssue({ code: 'custom', path: ['bands'], message: `The text of a mail has at most ${most} characters` })
  }
  const legacy = blocks.map((block) => (block.type === 'legacy_text' ? block.source.length : 0))
  if (sum(legacy) > mailLimits.legacyText) {
    const most = mailLimits.legacyText.toLocaleString('en-US')
    context.addIssue({ code: 'custom', path: ['bands'], message: `The HTML of a mail has at most ${most} characters` })
  }
})

/** Of a reply: complete, so what a client reads is what a screen gets. */
export const StoredMailDocument = MailDocumentSchema as z.ZodType<MailDocument, MailDocument>

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)
