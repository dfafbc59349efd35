import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import { listBlocks, type MailDocument, mailLimits, OPENED_BAND } from '../../../shared/messages/mail-document.ts'
import { AppError } from '../../core/common/public.ts'
import { openTemplate } from './open-template.ts'
import { toTemplateText } from './plain-text.ts'

// What saving or previewing an email stores: its document with its words as text, or a text. Pure.

export interface EmailContent {
  subject: string
  body: string
  /** null: a text. */
  design: MailDocument | null
}

/** The fields of a request. A missing field keeps its stored value. */
export interface ContentChange {
  subject?: string | undefined
  body?: string | undefined
  design?: MailDocument | null | undefined
}

/**
 * A changed document replaces the text. Otherwise another text replaces the document, and another subject alone is put
 * into it. A client that sends back the document it read, with another text, changes the text. `stored` is null for a new
 * email. Throws an AppError.
 */
export function resolveContent({ design, ...texts }: ContentChange, stored: EmailContent | null): EmailContent {
  if (!stored) return createContent({ design, ...texts })
  if (design && !isDocumentOf(stored, design)) return writeDocument(design)
  // Beside a document an empty text is a default of the request.
  const { subject = stored.subject, body = stored.body } = design ? omitEmpty(texts) : texts
  if (design === null || !stored.design || body !== stored.body) return { subject, body, design: null }
  return subject === stored.subject ? stored : { subject, body, design: replaceSubject(stored.design, subject) }
}

const omitEmpty = ({ subject, body }: Omit<ContentChange, 'design'>) => ({
  subject: subject || undefined,
  body: body || undefined,
})

/** A document that was read with a text is stored as that text. A document and another text contradict each other. */
function createContent({ subject = '', body = '', design }: ContentChange): EmailContent {
  if (!design) return { subject, body, design: null }
  const written = toTemplateText(design)
  const text = { subject: subject || written.subject, body: body || written.body, design: null }
  if (isOpenable(text) && isDocumentOf(text, design)) return text
  if (text.body !== written.body) throw new AppError('unprocessable', 'Send a design, or subject and body.')
  // Without a body, a subject may be a default.
  const isSubjectNew = body !== '' && text.subject !== written.subject
  return writeDocument(isSubjectNew ? replaceSubject(design, text.subject) : design)
}

function writeDocument(design: MailDocument): EmailContent {
  const document = renameOpenedBand(design)
  return { ...toTemplateText(document), design: document }
}

/** Whether a client read this document with this content. */
export const isDocumentOf = (content: EmailContent, design: MailDocument): boolean =>
  isDeepStrictEqual(design, openDesign(content)) || isDeepStrictEqual(renameOpenedBand(design), content.design)

/** A longer text is no document. */
const isOpenable = ({ subject, body }: EmailContent): boolean =>
  subject.length <= mailLimits.legacySubject && body.length <= mailLimits.legacyText

/** The band's id marks a text that was opened as a document, so a stored document has another. */
function renameOpenedBand(design: MailDocument): MailDocument {
  if (!design.bands.some(({ id }) => id === OPENED_BAND)) return design
  const ids = new Set([...design.bands, ...listBlocks(design)].map(({ id }) => id))
  let number = 1
  while (ids.has(formatBandId(number))) number += 1
  const id = formatBandId(number)
  return { ...design, bands: design.bands.map((band) => (band.id === OPENED_BAND ? { ...band, id } : band)) }
}

/** The first is `OPENED_BAND`. */
const formatBandId = (number: number): string => `band${String(number).padStart(4, '0')}`

/** The document of an email for its editor: the stored one, or the text as blocks. Lists open the same texts often. */
export function openDesign({ design, ...text }: EmailContent): MailDocument {
  if (design) return design
  const key = JSON.stringify([text.subject, text.body])
  const known = openedTexts.get(key)
  if (known) return known
  const document = openTemplate(text)
  openedTexts.set(key, document)
  return document
}

const openedTexts = new LRUCache<string, MailDocument>({
  max: 500,
  maxSize: 5_000_000,
  sizeCalculation: (_, key) => key.length,
})

export const replaceSubject = (design: MailDocument, subject: string): MailDocument => ({
  ...design,
  subject: openTemplate({ subject, body: '' }).subject,
})
