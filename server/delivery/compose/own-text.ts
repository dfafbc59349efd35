import type { SendChannel } from '../../../shared/delivery/reminders.ts'
import type { Block, MailDocument } from '../../../shared/messages/mail-document.ts'
import { findPlaceholder } from '../../../shared/messages/mail-placeholders.ts'
import { describePlace, listBlockPaths } from '../../../shared/messages/mail-places.ts'
import { findMissingImages } from '../../carts/brand/public.ts'
import { AppError } from '../../core/common/public.ts'
import type { StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  getSharedRenders,
  isBuiltInBody,
  isBuiltInSubject,
  type Renders,
  toTemplateText,
} from '../../messages/templates/public.ts'

// Checks owners' texts and documents before they are stored.

export interface MessageTexts {
  channel: SendChannel | 'push'
  subject?: string | undefined
  body?: string | undefined
  /** An email's document, which replaces subject and body. */
  design?: MailDocument | null | undefined
}

/** Whose content it is. */
export interface ContentOwner {
  accountId: string
  store: StoreDb
}

export interface TextProblem {
  message: string
  /** Path of the field below the content. */
  field: string
}

/**
 * Returns why this content cannot be sent; null: it can. Absent parts come from a template, which was checked when it
 * was saved.
 */
export async function findTextProblem(
  { renders = getSharedRenders() }: Pick<Deps, 'renders'>,
  { accountId, store }: ContentOwner,
  { channel, subject, body, design }: MessageTexts,
): Promise<TextProblem | null> {
  if (channel === 'email' && design) return findDesignProblem(renders, { accountId, store }, design)
  const isBodyBuiltIn = body === undefined || isBuiltInBody(body)
  if (channel === 'push') return findPushProblem(renders, accountId, [subject, body])
  if (channel !== 'email') return isBodyBuiltIn ? null : toBodyProblem(await renders.checkText(accountId, body))
  if (isBodyBuiltIn && (subject === undefined || isBuiltInSubject(subject))) return null
  return toBodyProblem(await renders.check(accountId, { subject: subject ?? ANY, body: body ?? ANY, design: null }))
}

const toBodyProblem = (error: Error | null): TextProblem | null => error && { message: error.message, field: 'body' }

/** Checks a notification's title and text. */
async function findPushProblem(
  renders: Pick<Renders, 'checkText'>,
  accountId: string,
  parts: readonly (string | undefined)[],
): Promise<TextProblem | null> {
  for (const text of parts) {
    const problem = text === undefined ? null : await renders.checkText(accountId, text)
    if (problem) return toBodyProblem(problem)
  }
  return null
}

/** Placeholder for the part that is not checked. */
const ANY = '-'

/** Of the text that lists, exports and older clients read. */
const LONGEST_SUBJECT = 200
const LONGEST_BODY = 50_000

async function findDesignProblem(
  renders: Pick<Renders, 'check'>,
  { accountId, store }: ContentOwner,
  design: MailDocument,
): Promise<TextProblem | null> {
  const { subject, body } = toTemplateText(design)
  if (subject === '') return { message: 'Enter a subject.', field: 'design.subject' }
  if (body === '')
    return { message: 'The email has no text. Add a text, the items or a button.', field: 'design.bands' }
  if (subject.length > LONGEST_SUBJECT) {
    return {
      message: `The subject is too long. It has at most ${LONGEST_SUBJECT} characters.`,
      field: 'design.subject',
    }
  }
  if (body.length > LONGEST_BODY) {
    const most = LONGEST_BODY.toLocaleString('en-US')
    return { message: `The email has too much text. It has at most ${most} characters.`, field: 'design.bands' }
  }
  const placeholderProblem = findPlaceholderProblem(design)
  if (placeholderProblem) return placeholderProblem
  const imageProblem = await findImageProblem(store, design)
  if (imageProblem) return imageProblem
  const problem = await renders.check(accountId, { subject: ANY, body: ANY, design })
  return problem && { message: problem.message, field: 'design' }
}

function findPlaceholderProblem(design: MailDocument): TextProblem | null {
  const found = findPlaceholder(design)
  if (!found) return null
  const { text, path, canHaveValue } = found
  const place = describePlace(path)
  const advice = canHaveValue ? 'is not a value. Choose one under Insert value.' : 'is not a value. Remove it.'
  return { message: `${place ? `${place}: ` : ''}${text} ${advice}`, field: ['design', ...path].join('.') }
}

async function findImageProblem(store: StoreDb, design: MailDocument): Promise<TextProblem | null> {
  const images = listBlocksOfType(design, 'image')
  const missing = await findMissingImages(
    store,
    images.map(({ block }) => block.asset),
  )
  const lost = images.find(({ block }) => missing.has(block.asset))
  if (!lost) return null
  return {
    message: `${lost.place}: This picture belongs to another store or was deleted. Upload it again.`,
    field: `${lost.field}.asset`,
  }
}

type BlockPlace<Type extends Block['type']> = { block: Extract<Block, { type: Type }>; place: string; field: string }

const listBlocksOfType = <Type extends Block['type']>(design: MailDocument, type: Type): BlockPlace<Type>[] =>
  listBlockPaths(design).flatMap(({ block, path }) =>
    isOfType(block, type) ? [{ block, place: describePlace(path)!, field: ['design', ...path].join('.') }] : [],
  )

const isOfType = <Type extends Block['type']>(block: Block, type: Type): block is Extract<Block, { type: Type }> =>
  block.type === type

/** `at`: path of the content in the request. */
export async function assertTextRenders(
  deps: Pick<Deps, 'renders'>,
  owner: ContentOwner,
  texts: MessageTexts,
  at = '',
): Promise<void> {
  const problem = await findTextProblem(deps, owner, texts)
  if (!problem) return
  const fields = { [`${at}${problem.field}`]: problem.message }
  throw new AppError('unprocessable', problem.message, texts.design ? { fields } : {})
}
