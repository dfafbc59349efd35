import type { Words } from '../words/rules.ts'
import type { Draft } from './rules.ts'

// Which words of a draft are meant: those of its type. Pure.

type Worded = Pick<Draft, 'subject' | 'body' | 'sms' | 'pushTitle' | 'pushBody'>

/** Of its type; a notification's title stands where a mail has its subject. */
export function wordsOf({ type, subject, body, sms, pushTitle, pushBody }: Draft): Words {
  if (type === 'push') return { subject: pushTitle, body: pushBody }
  return { subject, body: type === 'sms' ? sms : body }
}

/** What becomes of a draft whose words were changed. */
export function withWords({ type }: Pick<Draft, 'type'>, { subject, body }: Partial<Words>): Partial<Worded> {
  if (type === 'push') {
    return { ...(subject !== undefined && { pushTitle: subject }), ...(body !== undefined && { pushBody: body }) }
  }
  if (type === 'sms') return body === undefined ? {} : { sms: body }
  return { ...(subject !== undefined && { subject }), ...(body !== undefined && { body }) }
}

/** B 5: what must be there before there is anything to create. */
export const isComplete = (draft: Draft): boolean => {
  const { name, type } = draft
  const { subject, body } = wordsOf(draft)
  if (name.trim() === '') return false
  if (type === 'sms') return body.trim() !== ''
  return type === 'whatsapp' || (subject.trim() !== '' && body.trim() !== '')
}
