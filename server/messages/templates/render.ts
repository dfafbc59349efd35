// Renders a compiled template for one person. Pure: the caller provides every link, host and amount.
import { compile as compileHtmlToText } from 'html-to-text'
import { hasBlank } from './blanks.ts'
import { createCompiler } from './compile.ts'
import { buildSampleContext, type TemplateContext, TemplateError, type TemplateSource } from './context.ts'
import { createDraft, type DraftTools, emptyBodyError, fill } from './draft.ts'
import { type RenderedMessage, readLayout, renderMessage } from './message.ts'
import { makePlan, type Planning, type PlanTools } from './plans/making.ts'
import type { Plan } from './plans/plan.ts'
import type { NoPlan } from './plans/words.ts'
import { tidyLines } from './scan.ts'
import { cleanContext } from './values.ts'

export interface RenderOptions {
  /** The store's hosts (with port, if any): links to them are tracked, and pictures may come from them. */
  storeHosts: string[]
  /** The tracked form of a link, or null to keep it. Called once per link and message. */
  trackLink(url: string): string | null
}

export interface TemplateRenderer {
  /** Throws a TemplateError that names the problem. */
  render(source: TemplateSource, context: TemplateContext, options: RenderOptions): RenderedMessage
  /** A plan for other mails of the same shape, or why there is none. */
  plan(planning: Planning, limitMs?: number): Plan | NoPlan
  /** The body alone as plain text, for text channels. Throws a TemplateError. */
  text(source: TemplateSource, context: TemplateContext): string
  /**
   * Checks that a template renders with and without a discount. Returns the error, or null. Used when saving and
   * deciding.
   */
  check(text: { subject: string; body: string }): TemplateError | null
  /** The same check for a text channel. */
  checkText(body: string): TemplateError | null
}

/** Reads the layout once; create one renderer per process. */
export function createTemplateRenderer(): TemplateRenderer {
  const compiler = createCompiler()
  const layout = readLayout()
  const toText = compileHtmlToText({
    wordwrap: false,
    selectors: [
      { selector: 'a', options: { linkBrackets: false, hideLinkHrefIfSameAsText: true } },
      { selector: 'img', format: 'skip' },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  })
  const tools = { compiler, layout, toText }
  const render: TemplateRenderer['render'] = (source, context, options) => renderDraft(tools, source, context, options)
  const text: TemplateRenderer['text'] = (source, context) => renderText(tools, source, context)
  const options = { storeHosts: [], trackLink: () => null }
  return {
    render,
    plan: (planning, limitMs) => makePlan(tools, planning, limitMs),
    text,
    check: (texts) => check((context) => render({ ...draft, ...texts }, context, options)),
    checkText: (body) => check((context) => text({ ...draft, subject: '-', body }, context)),
  }
}

/** Ten SMS segments in GSM-7, twice that in UCS-2; longer texts are not read on a phone. */
const MAX_TEXT = 1_600

function renderText({ compiler, toText }: DraftTools, source: TemplateSource, context: TemplateContext) {
  const values = cleanContext(context, new Set())
  const { subject: template } = compiler.compile(
    { ...source, id: `${source.id} as text`, subject: source.body, body: '' },
    'message',
  )
  const filled = fill(compiler.text, template, values, 'message')
  const plain = /<\/?[a-z][a-z0-9]*(\s[^<>]*)?\/?>/i.test(source.body) ? toText(filled) : filled
  const text = tidyLines(appendLink(removeBlankSentences(plain), plain, values.checkoutLink))
  if (!text) throw emptyBodyError(hasBlank(plain))
  if (text.length > MAX_TEXT) {
    throw new TemplateError('too_large', `A text message holds at most ${MAX_TEXT} characters.`)
  }
  if (/\{\{|\{%/.test(text)) {
    throw new TemplateError(
      'leftover_placeholder',
      'The message still contains {{ or {% after its variables were filled in.',
    )
  }
  return text
}

/** Keeps the checkout link, even when its sentence was removed. */
const appendLink = (text: string, before: string, link: string): string =>
  text.trim() && before.includes(link) && !text.includes(link) ? `${text}\n${link}` : text

function renderDraft(tools: PlanTools, source: TemplateSource, context: TemplateContext, options: RenderOptions) {
  const values = cleanContext(context, new Set(options.storeHosts))
  return renderMessage(tools.layout, createDraft(tools, source, values, options.trackLink), values)
}

const draft = { id: 'draft', version: 0, design: null }

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
