import type { SendChannel } from '../../../shared/delivery/reminders.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { AppError } from '../../core/common/public.ts'
import type { Deps } from '../../deps.ts'
import {
  getSharedRenders,
  isBuiltInBody,
  isBuiltInSubject,
  type Renders,
  type TemplateError,
} from '../../messages/templates/public.ts'

// Test-renders owners' texts and designs before they are stored.

export interface MessageTexts {
  channel: SendChannel | 'push'
  subject?: string | undefined
  body?: string | undefined
  /** Of a mail. Subject and body are then its words, and are not rendered. */
  design?: MailDocument | null | undefined
}

/**
 * Returns why these texts cannot be rendered; null: they can. Absent parts come from a template, which was checked when
 * it was saved.
 */
export async function findTextProblem(
  { renders = getSharedRenders() }: Pick<Deps, 'renders'>,
  accountId: string,
  { channel, subject, body, design = null }: MessageTexts,
): Promise<TemplateError | null> {
  if (channel === 'email' && design) return renders.check(accountId, { subject: ANY, body: ANY, design })
  const isBodyOurs = body === undefined || isBuiltInBody(body)
  if (channel === 'push') return problemOfPush(renders, accountId, [subject, body])
  if (channel !== 'email') return isBodyOurs ? null : renders.checkText(accountId, body)
  if (isBodyOurs && (subject === undefined || isBuiltInSubject(subject))) return null
  return renders.check(accountId, { subject: subject ?? ANY, body: body ?? ANY, design: null })
}

/** Checks a notification's title and text. */
async function problemOfPush(
  renders: Pick<Renders, 'checkText'>,
  accountId: string,
  parts: readonly (string | undefined)[],
): Promise<TemplateError | null> {
  for (const text of parts) {
    const problem = text === undefined ? null : await renders.checkText(accountId, text)
    if (problem) return problem
  }
  return null
}

/** Placeholder for the part that is not checked. */
const ANY = '-'

export async function assertTextRenders(
  deps: Pick<Deps, 'renders'>,
  accountId: string,
  texts: MessageTexts,
): Promise<void> {
  const problem = await findTextProblem(deps, accountId, texts)
  if (problem) throw new AppError('unprocessable', problem.message)
}
