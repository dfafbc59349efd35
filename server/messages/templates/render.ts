// Renders owners' texts: what mails have as Liquid, and the messages of text channels. Runs in a rendering thread, and in
// the main thread only for built-in texts. Pure: the caller provides every link, host and amount.
import { compile as compileHtmlToText } from 'html-to-text'
import { hasBlank } from './blanks.ts'
import { DEFAULT_MAIL_BRAND, findLook } from './brand.ts'
import { createCompiler } from './compile.ts'
import {
  buildSampleContext,
  type CheckedMail,
  type TemplateContext,
  TemplateError,
  type TemplateSource,
} from './context.ts'
import { type DraftTools, fill, type TrackLink } from './draft.ts'
import { emptyBodyError, hasPlaceholder, leftoverError } from './errors.ts'
import { type LegacySources, type LegacyTexts, renderLegacy } from './legacy-text.ts'
import { DRAFT, fillMail, type MailOptions, openMail, type RenderedMessage } from './mail.ts'
import { tidyLines } from './scan.ts'
import { cleanContext } from './values.ts'

export interface LegacyOptions {
  storeHosts: readonly string[]
  trackLink: TrackLink
}

export interface TemplateRenderer {
  /** A whole mail. Throws a TemplateError that names the problem. */
  render(source: TemplateSource, context: TemplateContext, options: MailOptions): RenderedMessage
  /** The parts of a mail that are Liquid. Throws a TemplateError. */
  legacy(
    source: Pick<TemplateSource, 'id' | 'version'>,
    sources: LegacySources,
    context: TemplateContext,
    options: LegacyOptions,
  ): LegacyTexts
  /** The body alone as plain text, for text channels. Throws a TemplateError. */
  text(source: TemplateSource, context: TemplateContext): string
  /**
   * Checks that a template renders with and without a discount. Returns the error, or null. Used when saving and
   * deciding.
   */
  check(mail: CheckedMail): TemplateError | null
  /** The same check for a text channel. */
  checkText(body: string): TemplateError | null
}

export function createTemplateRenderer(): TemplateRenderer {
  const tools: DraftTools = {
    compiler: createCompiler(),
    toText: compileHtmlToText({
      wordwrap: false,
      selectors: [
        { selector: 'a', options: { linkBrackets: false, hideLinkHrefIfSameAsText: true } },
        { selector: 'img', format: 'skip' },
        ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      ],
    }),
  }
  const legacy: TemplateRenderer['legacy'] = (source, sources, context, { storeHosts, trackLink }) =>
    renderLegacy(tools, sources, buildKey(source), {
      values: cleanContext(context, new Set(storeHosts)),
      style: { look: findLook(context.brand ?? DEFAULT_MAIL_BRAND), locale: context.locale },
      trackLink,
    })
  const render: TemplateRenderer['render'] = (source, context, options) => {
    const { document, legacy: sources } = openMail(source)
    return fillMail({
      source,
      document,
      context,
      options,
      legacy: sources && legacy(source, sources, context, options),
    })
  }
  const text: TemplateRenderer['text'] = (source, context) => renderText(tools, source, context)
  return {
    render,
    legacy,
    text,
    check: (mail) => check((context) => render({ ...DRAFT, ...mail }, context, CHECK_OPTIONS)),
    checkText: (body) => check((context) => text({ ...DRAFT, subject: '-', body }, context)),
  }
}

const buildKey = ({ id, version }: Pick<TemplateSource, 'id' | 'version'>) =>
  version === 0 ? null : `${id}:${version}`

const CHECK_OPTIONS: MailOptions = {
  storeHosts: [],
  trackLink: () => null,
  shopLink: 'https://shop.example/',
  assetsUrl: 'https://shop.example/pictures',
}

/** Ten SMS segments in GSM-7, twice that in UCS-2; longer texts are not read on a phone. */
const MAX_TEXT = 1_600

function renderText({ compiler, toText }: DraftTools, source: TemplateSource, context: TemplateContext) {
  const values = cleanContext(context, new Set())
  const part = 'message'
  const template = compiler.parseLine(buildKey(source), source.body, part)
  const filled = fill(compiler.text, template, values, { locale: context.locale, part })
  const plain = /<\/?[a-z][a-z0-9]*(\s[^<>]*)?\/?>/i.test(source.body) ? toText(filled) : filled
  const text = tidyLines(appendLink(removeBlankSentences(plain), plain, values.checkoutLink))
  if (!text) throw emptyBodyError(hasBlank(plain))
  if (text.length > MAX_TEXT) {
    throw new TemplateError('too_large', `A text message holds at most ${MAX_TEXT} characters.`)
  }
  if (hasPlaceholder(text)) throw leftoverError()
  return text
}

/** Keeps the checkout link, even when its sentence was removed. */
const appendLink = (text: string, before: string, link: string): string =>
  text.trim() && before.includes(link) && !text.includes(link) ? `${text}\n${link}` : text

/** Renders with a discount and without. A template only about a coupon is valid for messages that have one. */
function check(render: (context: TemplateContext) => unknown): TemplateError | null {
  try {
    for (const changes of [{}, { coupon: null }]) render(buildSampleContext(changes))
    return null
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return error.code === 'nothing_left' ? null : error
  }
}

/** Texts have few lines, so sentences are removed. */
function removeBlankSentences(text: string): string {
  if (!hasBlank(text)) return text
  return text
    .split('\n')
    .flatMap((line) => {
      if (!hasBlank(line)) return [line]
      const rest = line.split(/(?<=[.!?…])\s+/).filter((sentence) => !hasBlank(sentence))
      return rest.length > 0 ? [rest.join(' ')] : []
    })
    .join('\n')
}
