// Opens, compiles and fills mails. Nothing here reads Liquid, so it runs in the main thread. Pure.
import { LRUCache } from 'lru-cache'
import type { CompiledMail } from '../../../shared/messages/mail-chunks.ts'
import { compile } from '../../../shared/messages/mail-compile.ts'
import { listBlocks, type MailDocument } from '../../../shared/messages/mail-document.ts'
import { fill } from '../../../shared/messages/mail-fill.ts'
import type { MailLink, MailValues } from '../../../shared/messages/mail-values.ts'
import { DEFAULT_MAIL_BRAND } from './brand.ts'
import { type MailBrand, type TemplateContext, TemplateError, type TemplateSource } from './context.ts'
import { emptyBodyError, emptySubjectError, tooLargeError } from './errors.ts'
import type { LegacySources, LegacyTexts } from './legacy-text.ts'
import { openTemplate } from './open-template.ts'
import { cleanContext } from './values.ts'

export interface RenderedMessage {
  subject: string
  html: string
  text: string
  headers: Record<string, string>
  /** Every web link of the owner in order, with its result. */
  links: MailLink[]
  /** Text omitted because it names a missing coupon value. */
  leftOut: { isSubject: boolean; paragraphs: string[] }
}

export interface MailOptions {
  /** The store's hosts (with port, if any): links to them are tracked, and pictures may come from them. */
  storeHosts: readonly string[]
  /** The tracked form of a link, or null to keep it. The same for the same link. */
  trackLink(url: string): string | null
  shopLink: string
  /** The address below which uploaded pictures are. */
  assetsUrl: string
}

/** A mail that is not stored yet. */
export const DRAFT = { id: 'draft', version: 0, design: null }

export interface OpenedMail {
  document: MailDocument
  /** null: nothing in it is Liquid. */
  legacy: LegacySources | null
}

type Texts = Pick<TemplateSource, 'subject' | 'body'>

/** Of each cache, in characters of JSON: a document of many short runs takes several times its words. */
const MAX_CACHED = 8_000_000

const openedMails = new LRUCache<string, OpenedMail & Texts>({
  max: 500,
  maxSize: MAX_CACHED,
  sizeCalculation: ({ document }) => JSON.stringify(document).length,
})
const compiledMails = new LRUCache<string, { mail: CompiledMail; document: MailDocument }>({
  max: 500,
  maxSize: MAX_CACHED,
  sizeCalculation: ({ mail }) => JSON.stringify(mail).length,
})
/** A batch shares one brand. */
const brandKeys = new WeakMap<MailBrand, string>()

/** Throws a TemplateError for a text that is too long. */
export function openMail(source: TemplateSource): OpenedMail {
  const { id, version, subject, body, design } = source
  const key = `${id}:${version}`
  const known = version === 0 ? undefined : openedMails.get(key)
  if (known && known.subject === subject && known.body === body) return known
  const document = design ?? openTemplate(source)
  const mail = { document, legacy: findLegacy(document), subject, body }
  if (version !== 0) openedMails.set(key, mail)
  return mail
}

function findLegacy(document: MailDocument): LegacySources | null {
  const blocks = listBlocks(document).flatMap((block) =>
    block.type === 'legacy_text' ? [{ id: block.id, source: block.source }] : [],
  )
  const subject = Array.isArray(document.subject) ? null : document.subject.source
  return blocks.length > 0 || subject !== null ? { blocks, subject } : null
}

/** Whether a mail has Liquid, which only a rendering thread reads. */
export function hasLegacyText(source: TemplateSource): boolean {
  try {
    return openMail(source).legacy !== null
  } catch (error) {
    if (error instanceof TemplateError) return false
    throw error
  }
}

function compileMail(
  { id, version }: MailParts['source'],
  document: MailDocument,
  { brand = DEFAULT_MAIL_BRAND, locale }: Pick<TemplateContext, 'brand' | 'locale'>,
): CompiledMail {
  if (version === 0) return compile(document, brand, document.theme, locale)
  const brandKey = brandKeys.get(brand) ?? JSON.stringify(brand)
  brandKeys.set(brand, brandKey)
  const key = `${id}:${version}:${locale}:${brandKey}`
  const known = compiledMails.get(key)
  if (known?.document === document) return known.mail
  const mail = compile(document, brand, document.theme, locale)
  compiledMails.set(key, { mail, document })
  return mail
}

interface MailParts {
  source: Pick<TemplateSource, 'id' | 'version'>
  document: MailDocument
  context: TemplateContext
  options: MailOptions
  /** What the document has as Liquid, rendered. */
  legacy: LegacyTexts | null
}

/** Throws a TemplateError. */
export function fillMail({ source, document, context, options, legacy }: MailParts): RenderedMessage {
  const { storeHosts, trackLink, shopLink, assetsUrl } = options
  const mail = compileMail(source, document, context)
  const values: MailValues = {
    ...cleanContext(context, new Set(storeHosts)),
    shopLink,
    assetsUrl,
    trackLink,
    ...(legacy && { legacyTexts: legacy.texts }),
    ...(legacy && { subject: legacy.subject }),
  }
  const { problem, ...filled } = fill(mail, values)
  if (problem === 'empty_subject') throw emptySubjectError()
  if (problem === 'too_large') throw tooLargeError()
  if (problem !== null) throw emptyBodyError(problem === 'nothing_left')
  return { ...filled, headers: unsubscribeHeaders(values.unsubscribeLink) }
}

/** RFC 8058: the mail program's own button unsubscribes with one click. */
const unsubscribeHeaders = (link: string): Record<string, string> => ({
  'List-Unsubscribe': `<${link}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})
