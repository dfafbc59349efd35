import { type Inline, listBlocks, type MailDocument, mailLimits } from '../../../shared/messages/mail-document.ts'
import { blockNames, isHref } from './fields.ts'

// What keeps a mail from being saved or sent, named beside its block. The server checks the same (MailDocumentSchema). Pure.

export interface MailProblem {
  /** null: of the whole mail. */
  blockId: string | null
  /** Name of the block, for the list of problems. */
  where: string
  text: string
}

const BAD_LINK = 'Enter an address that begins with https://, or an email address.'

export function findMailProblems(document: MailDocument): MailProblem[] {
  const blocks = listBlocks(document)
  return [
    ...findWholeProblems(document, blocks),
    ...blocks.flatMap((block) =>
      findBlockProblems(block).map((text) => ({ blockId: block.id, where: blockNames[block.type], text })),
    ),
  ]
}

function findWholeProblems(document: MailDocument, blocks: ReturnType<typeof listBlocks>): MailProblem[] {
  const { bands } = document
  const { subject, preview } = document
  const of = (where: string, isWrong: boolean, text: string): MailProblem[] =>
    isWrong ? [{ blockId: null, where, text }] : []
  const counts = (name: string, count: number, most: number) =>
    of(
      'Email',
      count > most,
      `${name}: at most ${most.toLocaleString('en-US')}. There are ${count.toLocaleString('en-US')}.`,
    )
  const characters = blocks.reduce((sum, block) => sum + ('inlines' in block ? measure(block.inlines) : 0), 0)
  const html = blocks.reduce((sum, block) => sum + (block.type === 'legacy_text' ? block.source.length : 0), 0)
  return [
    ...of('Subject', isBlank(subject), 'Write a subject.'),
    ...of('Subject', Array.isArray(subject) && subject.length > 40, 'Shorten the subject.'),
    ...of('Subject', isTooLong(subject), 'Shorten the subject.'),
    ...of('Preview line', preview.length > 20 || isTooLong(preview), 'Shorten the preview line.'),
    ...of('Email', blocks.every(isEmptyText), 'Write a text or add a block.'),
    ...counts('Sections', bands.length, mailLimits.bands),
    ...counts('Blocks', blocks.length, mailLimits.blocks),
    ...counts('Blocks of a section', Math.max(...bands.map((band) => band.blocks.length)), mailLimits.blocksOfBand),
    ...counts('Characters of text', characters, mailLimits.characters),
    ...counts('Characters of HTML', html, mailLimits.legacyText),
  ]
}

const measure = (inlines: readonly Inline[]): number =>
  inlines.reduce((sum, run) => sum + (run.kind === 'text' ? run.text.length : 1), 0)

const isTooLong = (inlines: MailDocument['subject']): boolean =>
  Array.isArray(inlines) && inlines.some((run) => run.kind === 'text' && run.text.length > mailLimits.runLength)

const isEmptyText = (block: ReturnType<typeof listBlocks>[number]): boolean =>
  (block.type === 'text' || block.type === 'heading') && isBlank(block.inlines)

export const isBlank = (inlines: MailDocument['subject']): boolean =>
  Array.isArray(inlines)
    ? inlines.every((run) => run.kind === 'break' || (run.kind === 'text' && run.text.trim() === ''))
    : inlines.source.trim() === ''

function findBlockProblems(block: ReturnType<typeof listBlocks>[number]): string[] {
  const when = (isWrong: boolean, text: string) => (isWrong ? [text] : [])
  if ('inlines' in block) {
    const { inlines } = block
    return [
      ...when(inlines.length > mailLimits.runs || isTooLong(inlines), 'Divide this text into several.'),
      ...when(
        inlines.some((run) => run.kind === 'text' && run.href !== undefined && !isHref(run.href)),
        BAD_LINK,
      ),
    ]
  }
  switch (block.type) {
    case 'image':
      return [
        ...when(block.asset === '', 'Choose a picture.'),
        ...when(!block.isDecorative && block.alt.trim() === '', 'Describe the picture, or mark it as decorative.'),
        ...when(block.href !== undefined && !isHref(block.href), BAD_LINK),
      ]
    case 'button':
      return when(!isHref(block.href), BAD_LINK)
    case 'product':
      return when(block.productId === '', 'Choose a product.')
    case 'legacy_text':
      return when(block.source === '', 'Write something, or delete this block.')
    case 'columns':
      return when(
        block.columns.some((column) => column.length > mailLimits.blocksOfColumn),
        `A column has at most ${mailLimits.blocksOfColumn} blocks.`,
      )
    default:
      return []
  }
}
