import { READY_DISCOUNT } from '../../../shared/marketing/discount-mail.ts'
import { CAMPAIGN_TEMPLATES, FORMER_SENTENCES, QUICK_SEND_TEMPLATES, READY_TEXTS } from './ready-templates.ts'

// Recognises unchanged built-in texts. They need no check and no thread.

const ready = [...CAMPAIGN_TEMPLATES, ...QUICK_SEND_TEMPLATES, READY_DISCOUNT]
const former = ready.flatMap(({ body }) =>
  FORMER_SENTENCES.filter(([now]) => body.includes(now)).map(([now, before]) => body.replace(now, before)),
)
const bodies = new Set<string>(
  [...ready.map(({ body }) => body), ...former, ...Object.values(READY_TEXTS)].filter(Boolean),
)
const subjects = new Set<string>(ready.map(({ subject }) => subject))

export const isBuiltInBody = (body: string): boolean => bodies.has(body)

/** A subject without variables is safe: nothing is filled in. */
export const isBuiltInSubject = (subject: string): boolean =>
  subjects.has(subject) || (subject.length <= 200 && !subject.includes('{'))
