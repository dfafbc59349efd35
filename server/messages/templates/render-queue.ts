import { isBuiltInBody, isBuiltInSubject } from './built-in.ts'
import type { TemplateContext, TemplateError, TemplateSource } from './context.ts'
import { type RenderAnswer, type RenderJob, runJob, toError } from './job.ts'
import type { RenderedMessage } from './message.ts'
import { type Difference, type PlanFigures, type PlanLimits, RenderingPlans } from './plans/plans.ts'
import { createTemplateRenderer, type TemplateRenderer } from './render.ts'
import { RefusedTexts, RenderThread, type ThreadOptions } from './thread.ts'

// Renders all messages. Built-in texts are rendered in this thread, owners' texts in a thread that can be killed. There
// are two such threads, so that previews and checks never delay sending.

export type RenderQueue = 'sending' | 'asking'

/** The account, for fair queueing, and the purpose. */
export interface RenderPurpose {
  queue: RenderQueue
  accountId: string
}

export interface MailOptions {
  storeHosts: string[]
  /** The URL of the n-th tracked link; the same for the same n. */
  tracked(n: number): string
  /** A rendering plan and the renderer differed; the plan's mail was not sent. */
  onDifference?: (found: Difference) => void
}

export interface Renders {
  /** Throws a TemplateError that names the problem. */
  mail(
    purpose: RenderPurpose,
    source: TemplateSource,
    context: TemplateContext,
    options: MailOptions,
  ): Promise<RenderedMessage>
  text(purpose: RenderPurpose, source: TemplateSource, context: TemplateContext): Promise<string>
  /**
   * Checks that a text renders with and without a discount. Returns the error, or null. Called before a text is stored.
   */
  check(accountId: string, words: { subject: string; body: string }): Promise<TemplateError | null>
  checkText(accountId: string, body: string): Promise<TemplateError | null>
  planFigures(): PlanFigures
  close(): Promise<void>
}

/** A user waits for the second thread. */
const threadOptions: Record<RenderQueue, ThreadOptions> = {
  sending: { limitMs: 1_500, attempts: 2, patienceMs: null },
  asking: { limitMs: 1_500, attempts: 1, patienceMs: 20_000, niceness: 5 },
}
/** Few mails have more tracked links; those are rendered again with more URLs. */
const MAX_TRACKED_URLS = 8

/** Threads start with the first job that needs one. */
export function createRenders(changes: Partial<ThreadOptions> = {}, limits: Partial<PlanLimits> = {}): Renders {
  const plans = new RenderingPlans(limits)
  const refused = new RefusedTexts()
  const threads = {
    sending: new RenderThread({ ...threadOptions.sending, ...changes }, refused),
    asking: new RenderThread({ ...threadOptions.asking, ...changes }, refused),
  }
  let renderer: TemplateRenderer | undefined
  const ask = async ({ queue, accountId }: RenderPurpose, job: RenderJob): Promise<RenderAnswer> => {
    const isOurs = isBuiltInJob(job)
    if (isOurs) renderer ??= createTemplateRenderer()
    const answer = isOurs ? runJob(renderer!, job) : await threads[queue].run(job, accountId)
    if (answer.kind === 'refused') throw toError(answer.problem)
    if (answer.kind === 'broken') throw new Error(answer.message)
    return answer
  }
  const runCheck = async (accountId: string, job: RenderJob) => {
    const answer = await ask({ queue: 'asking', accountId }, job)
    return answer.kind === 'checked' && answer.problem ? toError(answer.problem) : null
  }
  return {
    mail(purpose, source, context, options) {
      const { storeHosts, tracked, onDifference } = options
      const render = () => renderMail((job) => ask(purpose, job), { source, context }, options)
      // Previews always use the renderer, never a plan.
      if (purpose.queue === 'asking') return render()
      const makePlan = async () =>
        assertKind(await ask(purpose, { kind: 'plan', source, context, storeHosts }), 'plan').plan
      return plans.render({ source, context, storeHosts, tracked, render, makePlan, onDifference })
    },
    async text(purpose, source, context) {
      const answer = await ask(purpose, { kind: 'text', source, context })
      return assertKind(answer, 'text').text
    },
    check: (accountId, { subject, body }) => runCheck(accountId, { kind: 'check', subject, body }),
    checkText: (accountId, body) => runCheck(accountId, { kind: 'checkText', body }),
    planFigures: () => plans.figures(),
    close: async () => void (await Promise.all([threads.sending.close(), threads.asking.close()])),
  }
}

async function renderMail(
  ask: (job: RenderJob) => Promise<RenderAnswer>,
  what: { source: TemplateSource; context: TemplateContext },
  { storeHosts, tracked }: MailOptions,
): Promise<RenderedMessage> {
  for (let count = MAX_TRACKED_URLS; ; count *= 8) {
    const offered = Array.from({ length: count }, (_, n) => tracked(n))
    const answer = await ask({ kind: 'mail', ...what, storeHosts, tracked: offered })
    const { message } = assertKind(answer, 'mail')
    if (message) return message
  }
}

function assertKind<K extends RenderAnswer['kind']>(answer: RenderAnswer, kind: K) {
  if (answer.kind !== kind) throw new Error(`a rendering thread answered ${answer.kind} instead of ${kind}`)
  return answer as Extract<RenderAnswer, { kind: K }>
}

function isBuiltInJob(job: RenderJob): boolean {
  if (job.kind === 'check') return isBuiltInSubject(job.subject) && isBuiltInBody(job.body)
  if (job.kind === 'checkText') return isBuiltInBody(job.body)
  return isBuiltInBody(job.source.body) && isBuiltInSubject(job.source.subject)
}

let shared: Renders | undefined

/** One pair of threads per process, started on first use. */
export function getSharedRenders(): Renders {
  shared ??= createRenders()
  return shared
}
