// Renders what a document has as text or HTML with Liquid (`legacy_text`), in the sandbox and through the sanitizer. Runs
// in a rendering thread, because the text is an owner's.
import { PROMISE_MARK } from '../../../shared/messages/mail-chunks.ts'
import type { LegacyText } from '../../../shared/messages/mail-values.ts'
import { hasBlank } from './blanks.ts'
import { removeBlocks, renderBlocksHtml, renderBlocksText } from './blocks.ts'
import { BUTTON_MARKS, type TextKey } from './compile.ts'
import { createDraft, type DraftStyle, type DraftTools, fill, type TrackLink } from './draft.ts'
import { hasPlaceholder, leftoverError } from './errors.ts'
import { tidyLines } from './scan.ts'
import type { CleanValues } from './values.ts'

export interface LegacySources {
  blocks: { id: string; source: string }[]
  /** null: the document has its own. */
  subject: string | null
}

export interface LegacyTexts {
  texts: Map<string, LegacyText>
  /** null: the document has its own, or it names a missing coupon value. */
  subject: string | null
}

interface Filling {
  values: CleanValues
  style: DraftStyle
  trackLink: TrackLink
}

/** Throws a TemplateError. `key`: of the template's version. */
export function renderLegacy(
  tools: DraftTools,
  { blocks, subject }: LegacySources,
  key: TextKey,
  filling: Filling,
): LegacyTexts {
  return {
    subject: subject === null ? null : renderSubject(tools, { key: key && `${key}/subject`, text: subject }, filling),
    texts: new Map(
      blocks.map(({ id, source }) => [id, renderText(tools, { key: key && `${key}/${id}`, text: source }, filling)]),
    ),
  }
}

function renderSubject(
  { compiler }: DraftTools,
  { key, text }: { key: TextKey; text: string },
  { values, style: { locale } }: Filling,
): string | null {
  const part = 'subject'
  const filled = fill(compiler.text, compiler.parseLine(key, text, part), values, { locale, part })
  if (hasPlaceholder(filled)) throw leftoverError()
  return hasBlank(filled) ? null : filled
}

/** Empty if nothing of it is shown. */
function renderText(tools: DraftTools, source: { key: TextKey; text: string }, filling: Filling): LegacyText {
  const { content, plain, cartLink, links, leftOut } = createDraft(tools, source, filling)
  const shown = { ...filling, cartLink }
  const html = renderBlocksHtml(markButtons(content), shown)
  const text = tidyLines(renderBlocksText(markButtons(plain), shown))
  if (hasPlaceholder(html) || hasPlaceholder(text)) throw leftoverError()
  return { html, text, preview: removeBlocks(plain).replace(WEB_ADDRESS, ''), links, leftOut }
}

const WEB_ADDRESS = /https?:\/\/\S+/g

/** Puts the promise below the first button of the mail. */
const markButtons = (content: string): string => content.replaceAll(BUTTON_MARKS[1], BUTTON_MARKS[1] + PROMISE_MARK)
