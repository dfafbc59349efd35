import { type TemplateContext, TemplateError, type TemplateProblem, type TemplateSource } from './context.ts'
import type { RenderedMessage } from './message.ts'
import type { Planning } from './plans/making.ts'
import type { Plan } from './plans/plan.ts'
import type { NoPlan } from './plans/words.ts'
import type { TemplateRenderer } from './render.ts'

// The messages between main thread and rendering thread: plain data in both directions.

export type RenderJob =
  | {
      kind: 'mail'
      source: TemplateSource
      context: TemplateContext
      storeHosts: string[]
      /** URLs for tracked links, in order. */
      tracked: string[]
    }
  | ({ kind: 'plan' } & Planning)
  | { kind: 'text'; source: TemplateSource; context: TemplateContext }
  | { kind: 'check'; subject: string; body: string }
  | { kind: 'checkText'; body: string }

export type RenderAnswer =
  /** `message` is null when `tracked` had too few URLs. */
  | { kind: 'mail'; message: RenderedMessage | null }
  | { kind: 'plan'; plan: Plan | NoPlan }
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
    if (job.kind === 'mail') return { kind: 'mail', message: renderMail(renderer, job) }
    if (job.kind === 'plan') return { kind: 'plan', plan: renderer.plan(job) }
    const error = job.kind === 'check' ? renderer.check(job) : renderer.checkText(job.body)
    return { kind: 'checked', problem: error && toProblem(error) }
  } catch (error) {
    if (error instanceof TemplateError) return { kind: 'refused', problem: toProblem(error) }
    return { kind: 'broken', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

function renderMail(renderer: TemplateRenderer, job: Extract<RenderJob, { kind: 'mail' }>): RenderedMessage | null {
  const { source, context, storeHosts, tracked } = job
  let used = 0
  const trackLink = (url: string) => (url === context.checkoutLink ? null : (tracked[used++] ?? null))
  const message = renderer.render(source, context, { storeHosts, trackLink })
  return used > tracked.length ? null : message
}

const toProblem = ({ code, message }: TemplateError): Problem => ({ code, message })

export const toError = ({ code, message }: Problem): TemplateError => new TemplateError(code, message)
