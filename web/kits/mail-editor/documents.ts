import { listBlocks, type MailDocument } from '../../../shared/messages/mail-document.ts'
import { createId } from './convert.ts'

// Documents outside of the editor. Pure.

/** The subject with its values as variables, as lists show it. */
export function readSubject({ subject }: Pick<MailDocument, 'subject'>): string {
  if (!Array.isArray(subject)) return subject.source
  return subject
    .map((run) => (run.kind === 'text' ? run.text : run.kind === 'value' ? `{{ ${run.name} }}` : ' '))
    .join('')
}

/** Whether the mail misses a coupon: a part is shown only with one, and nothing stands in for it without one. */
export function needsCoupon(document: MailDocument): boolean {
  const parts = [...document.bands, ...listBlocks(document)]
  const isForBoth = parts.some(({ show }) => show === 'without_coupon')
  return (
    !isForBoth &&
    parts.some(
      (part) =>
        ('type' in part && part.type === 'coupon') || part.show === 'with_coupon' || part.show.startsWith('has:'),
    )
  )
}

/** A text that the server has not opened yet: a first mail, or its source in one block, so that no word is lost. */
export function openText({ subject, body }: { subject: string; body: string }): MailDocument {
  const base = () => ({ id: createId(), show: 'always' as const })
  const text = (words: string) => [{ kind: 'text' as const, text: words, marks: [] }]
  const blocks: MailDocument['bands'][number]['blocks'] =
    body.trim() === ''
      ? [
          { ...base(), type: 'heading', level: 1, align: 'start', inlines: text('You left something behind') },
          { ...base(), type: 'text', size: 'body', align: 'start', inlines: text('Your cart is saved.') },
          { ...base(), type: 'button', label: '', href: 'cart', isWide: false, style: 'solid', align: 'start' },
        ]
      : [{ ...base(), type: 'legacy_text', source: body }]
  return {
    version: 1,
    theme: 'letter',
    language: null,
    subject: subject.includes('{') ? { kind: 'legacy_text', source: subject } : subject ? text(subject) : [],
    preview: [],
    bands: [{ ...base(), background: 'card', blocks }],
    footer: { text: '', hasSocial: true },
  }
}
