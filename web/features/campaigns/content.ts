import { isDesigned } from '../../../shared/messages/mail-document.ts'
import { findMailProblems } from '../../kits/mail-editor/problems.ts'
import type { Words } from '../../kits/message-editor/rules.ts'
import type { Draft } from './rules.ts'

// Accesses the content of a draft by its type. Pure.

type ContentFields = Pick<Draft, 'subject' | 'body' | 'design' | 'sms' | 'pushTitle' | 'pushBody'>

/** By type; for notifications the title takes the place of the subject. */
export function getContent({ type, subject, body, sms, pushTitle, pushBody }: Draft): Words {
  if (type === 'push') return { subject: pushTitle, body: pushBody }
  return { subject, body: type === 'sms' ? sms : body }
}

/** The draft after its content changed. */
export function setContent({ type }: Pick<Draft, 'type'>, { subject, body }: Partial<Words>): Partial<ContentFields> {
  if (type === 'push') {
    return { ...(subject !== undefined && { pushTitle: subject }), ...(body !== undefined && { pushBody: body }) }
  }
  if (type === 'sms') return body === undefined ? {} : { sms: body }
  // A text replaces the design.
  return { ...(subject !== undefined && { subject }), ...(body !== undefined && { body }), design: null }
}

/** B 5: what must be filled in before a campaign can be created. */
export const isComplete = (draft: Draft): boolean => {
  const { name, type } = draft
  const { subject, body } = getContent(draft)
  if (name.trim() === '') return false
  if (type === 'email' && isDesigned(draft.design)) return findMailProblems(draft.design).length === 0
  if (type === 'sms') return body.trim() !== ''
  return type === 'whatsapp' || (subject.trim() !== '' && body.trim() !== '')
}
