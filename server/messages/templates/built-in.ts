import { READY_DISCOUNT } from '../../../shared/marketing/discount-mail.ts'
import { CAMPAIGN_TEMPLATES, QUICK_SEND_TEMPLATES, READY_TEXTS } from './ready-templates.ts'

// Recognises unchanged built-in texts. They need no check and no thread.

const ready = [...CAMPAIGN_TEMPLATES, ...QUICK_SEND_TEMPLATES, READY_DISCOUNT]
const bodies = new Set<string>([...ready.map(({ body }) => body), ...Object.values(READY_TEXTS)].filter(Boolean))
const subjects = new Set<string>(ready.map(({ subject }) => subject))

export const isBuiltInBody = (body: string): boolean => bodies.has(body)

/** A subject without variables is safe: nothing is filled in. */
export const isBuiltInSubject = (subject: string): boolean =>
  subjects.has(subject) || (subject.length <= 200 && !subject.includes('{'))
