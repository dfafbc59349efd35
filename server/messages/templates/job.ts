import { escapeHtml } from '../../../shared/messages/clean-text.ts'
import type { LegacyText } from '../../../shared/messages/mail-values.ts'
import {
  type CheckedMail,
  type TemplateContext,
  TemplateError,
  type TemplateProblem,
  type TemplateSource,
} from './context.ts'
import type { LegacySources, LegacyTexts } from './legacy-text.ts'
import type { TemplateRenderer } from './render.ts'

// The messages between main thread and rendering thread: plain data in both directions.

export type RenderJob =
  /** What a mail has as Liquid. */
  | LegacyJob
  | { kind: 'text'; source: TemplateSource; context: TemplateContext }
  | ({ kind: 'check' } & CheckedMail)
  | { kind: 'checkText'; body: string }

interface LegacyJob {
  kind: 'legacy'
  source: Pick<TemplateSource, 'id' | 'version'>
  sources: LegacySources
  context: TemplateContext
  storeHosts: readonly string[]
  /** The n-th tracked link is `<placeholder>n-`: the thread has no keys. */
  placeholder: string
}

export type RenderAnswer =
  | { kind: 'legacy'; legacy: LegacyTexts }
  | { kind: 'text'; text: string }
  | { kind: 'checked'; problem: Problem | null }
  | { kind: 'refused'; problem: Problem }
  | { kind: 'broken'; message: string }

interface Problem {
  code: TemplateProblem
  message: string
}

/** Never throws. */
export function runJob(renderer: TemplateRenderer, job: RenderJob): RenderAnswer {
  try {
    if (job.kind === 'text') return { kind: 'text', text: renderer.text(job.source, job.context) }
    if (job.kind === 'legacy') return { kind: 'legacy', legacy: renderLegacy(renderer, job) }
    const error = job.kind === 'check' ? renderer.check(job) : renderer.checkText(job.body)
    return { kind: 'checked', problem: error && toProblem(error) }
  } catch (error) {
    if (error instanceof TemplateError) return { kind: 'refused', problem: toProblem(error) }
    return { kind: 'broken', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

function renderLegacy(renderer: TemplateRenderer, { source, sources, context, storeHosts, placeholder }: LegacyJob) {
  let used = 0
  // The link to the cart is tracked already.
  const trackLink = (url: string) => (url === context.checkoutLink ? null : `${placeholder}${used++}-`)
  return renderer.legacy(source, sources, context, { storeHosts, trackLink })
}

/** Replaces the placeholders of an answer. `placeholder` is random, so that no text of a shop or shopper contains it. */
export function fillLinks(
  { texts, subject }: LegacyTexts,
  placeholder: string,
  track: (url: string) => string | null,
): LegacyTexts {
  const find = new RegExp(`${placeholder.replaceAll('.', '\\.')}\\d+-`, 'g')
  const fill = ({ html, text, preview, links, leftOut }: LegacyText): LegacyText => {
    const addresses = new Map(links.flatMap(({ url, trackedUrl }) => (trackedUrl ? [[trackedUrl, url]] : [])))
    const resolve = (found: string) => {
      const url = addresses.get(found)
      return url === undefined ? found : (track(url) ?? url)
    }
    return {
      html: html.replace(find, (found) => escapeHtml(resolve(found))),
      text: text.replace(find, resolve),
      preview,
      links: links.map(({ url, trackedUrl }) => ({ url, trackedUrl: trackedUrl && track(url) })),
      leftOut,
    }
  }
  return { subject, texts: new Map([...texts].map(([id, legacy]) => [id, fill(legacy)])) }
}

const toProblem = ({ code, message }: TemplateError): Problem => ({ code, message })

export const toError = ({ code, message }: Problem): TemplateError => new TemplateError(code, message)
