import {
  findMailLanguage,
  type Inline,
  type MailDocument,
  type MailDocumentInput,
  MailDocumentSchema,
  type MailLanguage,
  type ThemeName,
  themeNames,
  type ValueName,
} from '../mail-document.ts'
import type { DesignCopy, LastCopy } from './copy/copy.ts'
import { de } from './copy/de.ts'
import { en } from './copy/en.ts'
import { es } from './copy/es.ts'
import { fr } from './copy/fr.ts'
import { it } from './copy/it.ts'
import { nl } from './copy/nl.ts'
import { pl } from './copy/pl.ts'
import { pt } from './copy/pt.ts'

// The mails an owner starts from: four themes, and in each a first reminder with the product, a second with answers to
// doubts, and a last one with the coupon. Answers are empty until the owner writes them, and not shown until then. Pure.

const catalogues: Readonly<Record<MailLanguage, DesignCopy>> = { en, de, fr, es, it, nl, pt, pl }

export const placeNames = ['first', 'second', 'last'] as const
export type DesignPlace = (typeof placeNames)[number]

export interface MailDesign {
  theme: ThemeName
  place: DesignPlace
  /** For the owner, in the language of the screens. */
  name: string
  document: MailDocument
}

const THEMES = { quiet: 'Quiet', warm: 'Warm', bold: 'Bold', letter: 'Letter' } as const
const PLACES = { first: 'first reminder', second: 'second reminder', last: 'last reminder' } as const

/** In the tag's language, else in English. */
export const listDesigns = (language: string): MailDesign[] =>
  listDesignInputs(language).map((design) => ({ ...design, document: MailDocumentSchema.parse(design.document) }))

/** Without defaults, for the browser, which has no schemas. */
export function listDesignInputs(language: string): (Omit<MailDesign, 'document'> & { document: MailDocumentInput })[] {
  const copy = catalogues[findMailLanguage(language)]
  return themeNames.flatMap((theme) =>
    placeNames.map((place) => ({
      theme,
      place,
      name: `${THEMES[theme]}: ${PLACES[place]}`,
      document: { ...buildDocument(theme, place, copy), language: findMailLanguage(language) },
    })),
  )
}

type BandInput = MailDocumentInput['bands'][number]
type BlockInput = BandInput['blocks'][number]
/** A block without its id. */
type Draft = BlockInput extends infer Each ? (Each extends BlockInput ? Omit<Each, 'id'> : never) : never
interface BandDraft extends Omit<BandInput, 'id' | 'blocks'> {
  blocks: Draft[]
}

function buildDocument(theme: ThemeName, place: DesignPlace, copy: DesignCopy): MailDocumentInput {
  const { subject, preview } = copy[theme][place]
  return {
    version: 1,
    theme,
    subject: readInlines(subject),
    preview: readInlines(preview),
    bands: builders[theme][place](copy).map(({ blocks, ...band }, at) => ({
      ...band,
      id: `band${at + 1}`,
      blocks: blocks.map((block, index) => ({ ...block, id: `block${at + 1}x${index + 1}` }) as BlockInput),
    })),
    footer: {},
  }
}

const VALUES: Readonly<Record<string, ValueName>> = {
  customer: 'customer_name',
  store: 'store_name',
  saving: 'coupon_saving',
  offer: 'coupon_offer',
}

function readInlines(text: string, marks: ('bold' | 'italic')[] = []): Inline[] {
  return text
    .split(/(\{[^{}]*\}|\n)/)
    .filter(Boolean)
    .map((part): Inline => {
      if (part === '\n') return { kind: 'break' }
      if (!part.startsWith('{')) return { kind: 'text', text: part, marks }
      const [name, fallback] = part.slice(1, -1).split('|')
      return { kind: 'value', name: VALUES[name!]!, ...(fallback && { fallback }), marks }
    })
}

// Blocks

type Align = 'start' | 'center'

const heading = (text: string, align: Align = 'start', more: { show?: BandInput['show'] } = {}): Draft => ({
  type: 'heading',
  align,
  inlines: readInlines(text),
  ...more,
})
const paragraph = (text: string, align: Align = 'start', size: 'body' | 'lead' | 'label' = 'body'): Draft => ({
  type: 'text',
  align,
  size,
  inlines: readInlines(text),
})
const signature = (text: string): Draft => {
  const [close = '', name = ''] = text.split('\n')
  return {
    type: 'text',
    inlines: [...readInlines(close), { kind: 'break' }, ...readInlines(name, ['italic'])],
  }
}
const button = (label: string, more: { align?: Align; isWide?: boolean; style?: 'solid' | 'outline' } = {}): Draft => ({
  type: 'button',
  label,
  ...more,
})

const firstItem: Draft = { type: 'items', layout: 'large', part: 'first' }
const otherItems: Draft = { type: 'items', layout: 'list', part: 'rest', max: 12 }
const itemList = (max: number): Draft => ({ type: 'items', layout: 'list', max })
const total: Draft = { type: 'totals' }

/** Titles only: the owner answers, and an answer that is missing is not shown. */
const answers = ({ shipping, returns, questions }: DesignCopy): Draft => ({
  type: 'trust',
  points: [shipping, returns, questions].map((title) => ({ title, text: '' })),
})

/** The saving as the headline; the offer where the saving is unknown. */
const savingHeadings = ({ saving }: Pick<LastCopy, 'saving'>, { offer }: DesignCopy, align?: Align): Draft[] => [
  heading(saving, align, { show: 'has:coupon_saving' }),
  heading(offer, align, { show: 'lacks:coupon_saving' }),
]
const coupon = ({ yourCode }: DesignCopy): Draft => ({
  type: 'coupon',
  inlines: readInlines(yourCode),
  hasSaving: false,
})

type Builder = (copy: DesignCopy) => BandDraft[]

const builders: Readonly<Record<ThemeName, Readonly<Record<DesignPlace, Builder>>>> = {
  quiet: {
    first: (copy) => [
      {
        blocks: [
          heading(copy.quiet.first.heading, 'center'),
          paragraph(copy.quiet.first.text, 'center'),
          firstItem,
          button('', { align: 'center', style: 'outline' }),
          otherItems,
          total,
        ],
      },
    ],
    second: (copy) => [
      {
        blocks: [
          heading(copy.quiet.second.heading, 'center'),
          paragraph(copy.quiet.second.text, 'center'),
          itemList(3),
          button('', { align: 'center', style: 'outline' }),
          answers(copy),
        ],
      },
    ],
    last: (copy) => [
      {
        show: 'with_coupon',
        blocks: [
          ...savingHeadings(copy.quiet.last, copy, 'center'),
          paragraph(copy.quiet.last.text, 'center'),
          coupon(copy),
          button('', { align: 'center' }),
        ],
      },
      {
        show: 'without_coupon',
        blocks: [
          heading(copy.quiet.last.plainHeading, 'center'),
          paragraph(copy.quiet.last.plainText, 'center'),
          button('', { align: 'center', style: 'outline' }),
        ],
      },
      { blocks: [itemList(12), total] },
    ],
  },
  warm: {
    first: (copy) => [
      {
        blocks: [
          heading(copy.warm.first.heading),
          paragraph(copy.warm.first.text),
          firstItem,
          button(copy.back, { isWide: true }),
          otherItems,
          total,
          signature(copy.letter.first.sign),
        ],
      },
    ],
    second: (copy) => [
      {
        blocks: [
          heading(copy.warm.second.heading),
          paragraph(copy.warm.second.text),
          itemList(3),
          button(copy.back, { isWide: true }),
        ],
      },
      { background: 'soft', blocks: [answers(copy)] },
    ],
    last: (copy) => [
      {
        show: 'with_coupon',
        blocks: [
          ...savingHeadings(copy.warm.last, copy),
          paragraph(copy.warm.last.text),
          coupon(copy),
          button(copy.back, { isWide: true }),
        ],
      },
      {
        show: 'without_coupon',
        blocks: [
          heading(copy.warm.last.plainHeading),
          paragraph(copy.warm.last.plainText),
          button(copy.back, { isWide: true }),
        ],
      },
      { blocks: [itemList(12), total, signature(copy.letter.last.sign)] },
    ],
  },
  bold: {
    first: (copy) => [
      {
        background: 'accent',
        blocks: [heading(copy.bold.first.heading), paragraph(copy.bold.first.text, 'start', 'lead'), button(copy.back)],
      },
      {
        blocks: [
          paragraph(copy.inYourCart, 'start', 'label'),
          { type: 'items', layout: 'grid', max: 6 },
          total,
          button('', { isWide: true }),
        ],
      },
    ],
    second: (copy) => [
      {
        background: 'ink',
        blocks: [
          heading(copy.bold.second.heading),
          paragraph(copy.bold.second.text, 'start', 'lead'),
          button(copy.back),
        ],
      },
      { background: 'soft', blocks: [answers(copy)] },
      { blocks: [paragraph(copy.inYourCart, 'start', 'label'), itemList(6), total] },
    ],
    last: (copy) => [
      {
        background: 'accent',
        show: 'with_coupon',
        blocks: [
          ...savingHeadings(copy.bold.last, copy),
          paragraph(copy.bold.last.text, 'start', 'lead'),
          coupon(copy),
          button(copy.back, { isWide: true }),
        ],
      },
      {
        background: 'accent',
        show: 'without_coupon',
        blocks: [
          heading(copy.bold.last.plainHeading),
          paragraph(copy.bold.last.plainText, 'start', 'lead'),
          button(copy.back),
        ],
      },
      {
        blocks: [paragraph(copy.inYourCart, 'start', 'label'), { type: 'items', layout: 'grid', max: 6 }, total],
      },
    ],
  },
  letter: {
    first: (copy) => [
      {
        blocks: [
          paragraph(copy.greeting),
          paragraph(copy.letter.first.text),
          itemList(6),
          total,
          button(''),
          paragraph(copy.letter.first.close),
          signature(copy.letter.first.sign),
        ],
      },
    ],
    second: (copy) => [
      {
        blocks: [
          paragraph(copy.greeting),
          paragraph(copy.letter.second.text),
          answers(copy),
          paragraph(copy.letter.second.close),
          button(''),
          signature(copy.letter.second.sign),
          { type: 'divider' },
          paragraph(copy.inYourCart, 'start', 'label'),
          itemList(6),
        ],
      },
    ],
    last: (copy) => [
      {
        show: 'with_coupon',
        blocks: [
          ...savingHeadings(copy.letter.last, copy),
          paragraph(copy.greeting),
          paragraph(copy.letter.last.text),
          coupon(copy),
          button(''),
        ],
      },
      {
        show: 'without_coupon',
        blocks: [paragraph(copy.greeting), paragraph(copy.letter.last.plainText), button('')],
      },
      {
        blocks: [itemList(6), total, paragraph(copy.letter.last.close), signature(copy.letter.last.sign)],
      },
    ],
  },
}
