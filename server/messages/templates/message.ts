// Turns a draft into a mail: adds the layout and the footer. Pure.
import { readFileSync } from 'node:fs'
import { Liquid, type Template } from 'liquidjs'
import type { ShopTheme } from '../../../shared/messages/palette.ts'
import { blocksHtml, blocksText, removeBlocks } from './blocks.ts'
import { cleanText, TemplateError } from './context.ts'
import { type Draft, MAX_HTML_BYTES, tooLargeError } from './draft.ts'
import { tidyLines } from './scan.ts'
import { toShownCart, type Values } from './values.ts'

export interface RenderedMessage {
  subject: string
  html: string
  text: string
  headers: Record<string, string>
  links: Draft['links']
  leftOut: Draft['leftOut']
}

export type Layout = (look: ShopTheme, values: object) => string

/** Throws a TemplateError. */
export function renderMessage(layout: Layout, draft: Draft, values: Values): RenderedMessage {
  const { subject, content, plain, links, leftOut, homeLink } = draft
  const cart = toShownCart(values)
  const { look, promise } = values.brand
  const html = layout(
    look,
    toLayoutValues(values, {
      subject,
      homeLink,
      preview: renderPreview(plain),
      content: blocksHtml(content, { cart, look, link: homeLink, promise }),
    }),
  )
  const parts = { subject, html, text: renderTextPart(plain, values) }
  const problem = findProblem(parts)
  if (problem) throw problem
  return { ...parts, links, leftOut, headers: unsubscribeHeaders(values.footer.unsubscribeLink) }
}

/** Why these parts do not make a valid mail, or null. */
export function findProblem({ subject, html, text }: Pick<RenderedMessage, 'subject' | 'html' | 'text'>) {
  if (Buffer.byteLength(html) > MAX_HTML_BYTES) return tooLargeError()
  if (![subject, html, text].some((part) => /\{\{|\{%/.test(part))) return null
  return new TemplateError(
    'leftover_placeholder',
    'The message still contains {{ or {% after its variables were filled in.',
  )
}

/** The preview line in the inbox. */
export const renderPreview = (plain: string): string => cleanText(removeBlocks(plain), 120)

export function toLayoutValues(
  values: Values,
  parts: Record<'subject' | 'preview' | 'content' | 'homeLink', string>,
): object {
  const { look, promise, ...brand } = values.brand
  return { ...values.footer, ...values.trackers, ...brand, isDarkByDay: look.isDarkByDay, ...parts }
}

export function renderTextPart(plain: string, values: Values): string {
  const { footer, brand } = values
  const { why, storeName, senderName, addressLines, unsubscribeLink, preferencesLink } = footer
  const text = tidyLines(blocksText(plain, { cart: toShownCart(values), promise: brand.promise }))
  const sender = [senderName, ...addressLines].join(addressLines.length > 1 ? '\n' : ', ')
  const preferences = preferencesLink ? `\nEmail preferences: ${preferencesLink}` : ''
  const kind = brand.footerWords && `${brand.footerWords}\n`
  return `${text}\n\n--\n${kind}${sender}\n${why} ${storeName}.\nUnsubscribe: ${unsubscribeLink}${preferences}\n`
}

/** RFC 8058: the mail program's own button unsubscribes with one click. */
export function unsubscribeHeaders(link: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}

/** Fills in the colours once per look: a batch of messages shares one. */
export function readLayout(): Layout {
  const liquid = new Liquid({ outputEscape: 'escape', strictVariables: true, strictFilters: true, templates: {} })
  const source = readFileSync(new URL('./layouts/mail.liquid', import.meta.url), 'utf8')
  const parsed = new WeakMap<ShopTheme, Template[]>()
  return (look, values) => {
    const template = parsed.get(look) ?? liquid.parse(applyColours(source, look))
    parsed.set(look, template)
    return liquid.renderSync(template, values) as string
  }
}

function applyColours(source: string, { light, dark, font, radius }: ShopTheme): string {
  const sizes = { font, radius: String(radius), cardRadius: String(radius && radius + 8) }
  const fields = {
    ...addPrefix('light', { ...light }),
    ...addPrefix('dark', { ...dark }),
    ...addPrefix('look', sizes),
  }
  return source.replace(/\{\{ (\w+\.\w+) \}\}/g, (place, name: string) => fields[name] ?? place)
}

const addPrefix = (prefix: string, parts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(parts).map(([name, value]) => [`${prefix}.${name}`, value]))
