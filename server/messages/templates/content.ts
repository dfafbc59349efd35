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

/** A document replaces the text. Another text replaces the document; another subject alone is put into it. */
export function resolveContent({ design, ...texts }: ContentChange, stored: EmailContent): EmailContent {
  if (design) return { ...toTemplateText(design), design }
  const { subject = stored.subject, body = stored.body } = texts
  if (design === null || !stored.design || body !== stored.body) return { subject, body, design: null }
  if (subject === stored.subject) return stored
  const isBodyWritten = texts.body !== undefined
  return { subject, body, design: isBodyWritten ? null : replaceSubject(stored.design, subject) }
}

export const replaceSubject = (design: MailDocument, subject: string): MailDocument => ({
  ...design,
  subject: openTemplate({ subject, body: '' }).subject,
})
