import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { openTemplate } from './open-template.ts'
import { toTemplateText } from './plain-text.ts'

// What saving or previewing an email stores: its document with its words as text, or a text. Pure.

export interface EmailContent {
  subject: string
  body: string
  /** null: a text. */
  design: MailDocument | null
}

/** Of a request; what is missing stays as it is. */
export interface ContentChange {
  subject?: string | undefined
  body?: string | undefined
  design?: MailDocument | null | undefined
}

/**
 * A changed document replaces the text. Otherwise another text replaces the document, and another subject alone is put
 * into it. A client that sends back the document it read, with another text, changes the text.
 */
export function resolveContent({ design, ...texts }: ContentChange, stored: EmailContent): EmailContent {
  if (design && !isDeepStrictEqual(design, openDesign(stored))) return { ...toTemplateText(design), design }
  const { subject = stored.subject, body = stored.body } = texts
  if (design === null || !stored.design || body !== stored.body) return { subject, body, design: null }
  if (subject === stored.subject) return stored
  const isBodyWritten = texts.body !== undefined
  return { subject, body, design: isBodyWritten ? null : replaceSubject(stored.design, subject) }
}

/** The document of an email for its editor: the stored one, or the text as blocks. Lists open the same texts often. */
export function openDesign({ design, ...text }: EmailContent): MailDocument {
  if (design) return design
  const key = JSON.stringify([text.subject, text.body])
  const known = opened.get(key)
  if (known) return known
  const document = openTemplate(text)
  opened.set(key, document)
  return document
}

const opened = new LRUCache<string, MailDocument>({
  max: 500,
  maxSize: 5_000_000,
  sizeCalculation: (_, key) => key.length,
})

export const replaceSubject = (design: MailDocument, subject: string): MailDocument => ({
  ...design,
  subject: openTemplate({ subject, body: '' }).subject,
})
