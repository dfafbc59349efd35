import type { SendChannel } from '../../../shared/reminders.ts'
import { AppError } from '../../core/common/errors.ts'
import type { Deps } from '../../deps.ts'
import type { TemplateError } from '../../messages/templates/context.ts'
import { isOurBody, isOurSubject } from '../../messages/templates/ours.ts'
import { type Renders, sharedRenders } from '../../messages/templates/renders.ts'

// An owner's words are tried out before they are stored, wherever they come in.

export interface Words {
  channel: SendChannel | 'push'
  subject?: string | undefined
  body?: string | undefined
}

/** Why these words become no message; null: they do. What is left out is a template's, and was tried when that was saved. */
export async function problemOfText(
  { renders = sharedRenders() }: Deps,
  accountId: string,
  { channel, subject, body }: Words,
): Promise<TemplateError | null> {
  const isBodyOurs = body === undefined || isOurBody(body)
  if (channel === 'push') return problemOfPush(renders, accountId, [subject, body])
  if (channel !== 'email') return isBodyOurs ? null : renders.checkText(accountId, body)
  if (isBodyOurs && (subject === undefined || isOurSubject(subject))) return null
  return renders.check(accountId, { subject: subject ?? ANY, body: body ?? ANY })
}

/** A notification's title and text are texts both. */
async function problemOfPush(
  renders: Pick<Renders, 'checkText'>,
  accountId: string,
  parts: readonly (string | undefined)[],
): Promise<TemplateError | null> {
  for (const words of parts) {
    const problem = words === undefined ? null : await renders.checkText(accountId, words)
    if (problem) return problem
  }
  return null
}

/** Stands for the part that is not asked about. */
const ANY = '-'

export async function refuseBadText(deps: Deps, accountId: string, words: Words): Promise<void> {
  const problem = await problemOfText(deps, accountId, words)
  if (problem) throw new AppError('unprocessable', problem.message)
}
