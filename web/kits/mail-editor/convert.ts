import type {
  Block,
  Inline,
  Leaf,
  MailDocument,
  MailDocumentInput,
  ValueName,
} from '../../../shared/messages/mail-document.ts'
import {
  type BlockType,
  bandFields,
  cleanFields,
  cleanInlines,
  footerFields,
  isId,
  listFields,
  mailFields,
  sortMarks,
} from './fields.ts'

// Converts a mail to the editor's document and back. The editor's document is never stored. Pure.

export interface EditorNode {
  type: string
  attrs?: Record<string, unknown>
  content?: EditorNode[]
  marks?: { type: string; attrs?: Record<string, unknown> }[]
  text?: string
}

/** The editor's own name of a text is taken by its runs. */
export const nodeName = (type: BlockType): string => (type === 'text' ? 'paragraph' : type)
export const blockType = (name: string): BlockType => (name === 'paragraph' ? 'text' : (name as BlockType))

export function toEditor({ theme, language, subject, preview, bands, footer }: MailDocument): EditorNode {
  return {
    type: 'doc',
    attrs: { theme, language, subject, preview },
    content: [
      ...bands.map(({ blocks, ...attrs }) => ({ type: 'band', attrs, content: blocks.map(blockToEditor) })),
      { type: 'footer', attrs: footer },
    ],
  }
}

export function blockToEditor(block: Block): EditorNode {
  if (block.type === 'columns') {
    const { type, columns, ...attrs } = block
    return { type, attrs, content: columns.map((leaves) => ({ type: 'column', content: leaves.map(blockToEditor) })) }
  }
  if (block.type === 'heading' || block.type === 'text') {
    const { type, inlines, ...attrs } = block
    return { type: nodeName(type), attrs, content: inlinesToEditor(inlines) }
  }
  const { type, ...attrs } = block
  return { type, attrs: type === 'image' ? { ...attrs, href: block.href ?? null } : attrs }
}

export const inlinesToEditor = (inlines: readonly Inline[]): EditorNode[] =>
  inlines.map((run) => {
    if (run.kind === 'break') return { type: 'break' }
    // A ready design leaves defaults out.
    const marks = (run.marks ?? []).map((type) => ({ type }))
    if (run.kind === 'value') {
      return { type: 'value', attrs: { name: run.name, fallback: run.fallback ?? null }, marks }
    }
    const link = run.href === undefined ? [] : [{ type: 'link', attrs: { href: run.href } }]
    return { type: 'text', text: run.text, marks: [...link, ...marks] }
  })

export function fromEditor({ attrs = {}, content = [] }: EditorNode): MailDocument {
  const { theme, language, subject, preview } = cleanFields(mailFields, attrs) as Pick<
    MailDocument,
    'theme' | 'language' | 'subject' | 'preview'
  >
  const bands = content.filter(({ type }) => type === 'band')
  const footer = content.find(({ type }) => type === 'footer')
  return {
    version: 1,
    theme,
    language,
    subject: Array.isArray(subject) ? cleanInlines(subject) : subject,
    preview: cleanInlines(preview),
    bands: bands.map((band) => {
      const { id, ...fields } = cleanFields(bandFields, band.attrs)
      return { id: keepId(id), ...fields, blocks: (band.content ?? []).map(blockFromEditor) }
    }) as MailDocument['bands'],
    footer: cleanFields(footerFields, footer?.attrs) as MailDocument['footer'],
  }
}

export function blockFromEditor({ type: name, attrs, content = [] }: EditorNode): Block {
  const type = blockType(name)
  // As typed, so that a wrong link is reported instead of lost.
  const { id, ...fields } = { ...cleanFields(listFields(type), attrs), ...keepTyped(attrs) } as Record<string, unknown>
  const block = { type, id: keepId(id), ...fields } as Record<string, unknown>
  if (block.href === null) delete block.href
  if (type === 'columns') block.columns = content.map((column) => (column.content ?? []).map(blockFromEditor) as Leaf[])
  if (type === 'heading' || type === 'text') block.inlines = inlinesFromEditor(content)
  if (type === 'coupon') block.inlines = cleanInlines(fields.inlines as unknown[])
  return block as unknown as Block
}

const keepTyped = ({ href }: Record<string, unknown> = {}) => (typeof href === 'string' ? { href } : {})

export const inlinesFromEditor = (content: readonly EditorNode[] = []): Inline[] =>
  content.flatMap(({ type, attrs = {}, marks = [], text = '' }): Inline[] => {
    if (type === 'break') return [{ kind: 'break' }]
    const set = sortMarks(marks.map((mark) => mark.type))
    if (type === 'value') {
      const fallback = attrs.fallback as string | null
      return [{ kind: 'value', name: attrs.name as ValueName, ...(fallback !== null && { fallback }), marks: set }]
    }
    const href = marks.find((mark) => mark.type === 'link')?.attrs?.href as string | undefined
    return text === '' ? [] : [{ kind: 'text', text, marks: set, ...(href !== undefined && { href }) }]
  })

const keepId = (id: unknown): string => (isId(id) ? id : createId())

/** Fills in the defaults of a document, as the schema does. */
export const completeMail = (input: MailDocumentInput): MailDocument => fromEditor(toEditor(input as MailDocument))

export const createId = (): string => Math.random().toString(36).slice(2, 10).padEnd(8, '0')
