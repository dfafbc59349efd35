import crypto from 'node:crypto'
import { isBuiltInBody } from './built-in.ts'
import type { CheckedMail, TemplateContext, TemplateError, TemplateSource } from './context.ts'
import { fillLinks, type RenderAnswer, type RenderJob, runJob, toError } from './job.ts'
import type { LegacySources, LegacyTexts } from './legacy-text.ts'
import { DRAFT, fillMail, hasLegacyText, type MailOptions, openMail, type RenderedMessage } from './mail.ts'
import { createTemplateRenderer, type TemplateRenderer } from './render.ts'
import { RefusedTexts, RenderThread, type ThreadOptions } from './thread.ts'

// Renders all messages. Mails are filled in this thread, and so are built-in texts. Owners' Liquid is rendered in a thread
// that can be killed. There are two such threads, so that previews and checks never delay sending.

export type RenderQueue = 'sending' | 'asking'

/** The account, for fair queueing, and the purpose. */
export interface RenderPurpose {
  queue: RenderQueue
  accountId: string
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
   * Checks that a mail renders with and without a discount. Returns the error, or null. Called before it is stored.
   */
  check(accountId: string, mail: CheckedMail): Promise<TemplateError | null>
  checkText(accountId: string, body: string): Promise<TemplateError | null>
  close(): Promise<void>
}

/** A user waits for the second thread. */
const threadOptions: Record<RenderQueue, ThreadOptions> = {
  sending: { limitMs: 1_500, attempts: 2, patienceMs: null },
  asking: { limitMs: 1_500, attempts: 1, patienceMs: 20_000, niceness: 5 },
}
/** Random, so that no text of a shop or shopper contains it. */
const PLACEHOLDER = `https://s${crypto.randomBytes(16).toString('hex')}.invalid/`

/** Threads start with the first job that needs one. */
export function createRenders(changes: Partial<ThreadOptions> = {}): Renders {
  const refused = new RefusedTexts()
  const threads = {
    sending: new RenderThread({ ...threadOptions.sending, ...changes }, refused),
    asking: new RenderThread({ ...threadOptions.asking, ...changes }, refused),
  }
  let renderer: TemplateRenderer | undefined
  const ask = async ({ queue, accountId }: RenderPurpose, job: RenderJob): Promise<RenderAnswer> => {
    const isSafe = isHarmless(job)
    if (isSafe) renderer ??= createTemplateRenderer()
    const answer = isSafe ? runJob(renderer!, job) : await threads[queue].run(job, accountId)
    if (answer.kind === 'refused') throw toError(answer.problem)
    if (answer.kind === 'broken') throw new Error(answer.message)
    return answer
  }
  const runCheck = async (accountId: string, job: RenderJob) => {
    const answer = await ask({ queue: 'asking', accountId }, job)
    return answer.kind === 'checked' && answer.problem ? toError(answer.problem) : null
  }
  async function renderLegacy(
    purpose: RenderPurpose,
    { id, version }: TemplateSource,
    sources: LegacySources,
    { context, options: { storeHosts, trackLink } }: { context: TemplateContext; options: MailOptions },
  ): Promise<LegacyTexts> {
    const job = { source: { id, version }, sources, context, storeHosts, placeholder: PLACEHOLDER }
    const answer = await ask(purpose, { kind: 'legacy', ...job })
    return fillLinks(assertKind(answer, 'legacy').legacy, PLACEHOLDER, trackLink)
  }
  return {
    async mail(purpose, source, context, options) {
      const { document, legacy: sources } = openMail(source)
      const legacy = sources && (await renderLegacy(purpose, source, sources, { context, options }))
      return fillMail({ source, document, context, options, legacy })
    },
    async text(purpose, source, context) {
      const answer = await ask(purpose, { kind: 'text', source, context })
      return assertKind(answer, 'text').text
    },
    check: (accountId, mail) => runCheck(accountId, { kind: 'check', ...mail }),
    checkText: (accountId, body) => runCheck(accountId, { kind: 'checkText', body }),
    close: async () => void (await Promise.all([threads.sending.close(), threads.asking.close()])),
  }
}

function assertKind<K extends RenderAnswer['kind']>(answer: RenderAnswer, kind: K) {
  if (answer.kind !== kind) throw new Error(`a rendering thread answered ${answer.kind} instead of ${kind}`)
  return answer as Extract<RenderAnswer, { kind: K }>
}

/** Whether a job reads no Liquid of an owner. */
function isHarmless(job: RenderJob): boolean {
  switch (job.kind) {
    case 'legacy':
      return false
    case 'text':
      return isBuiltInBody(job.source.body)
    case 'check':
      return !hasLegacyText({ ...DRAFT, ...job })
    case 'checkText':
      return isBuiltInBody(job.body)
  }
}

let shared: Renders | undefined

/** One pair of threads per process, started on first use. */
export function getSharedRenders(): Renders {
  shared ??= createRenders()
  return shared
}
