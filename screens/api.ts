import { readdirSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Endpoint } from '../shared/core/endpoint.ts'
import { type ErrorReply, statusOf } from '../shared/core/errors.ts'
import demo from './fixtures/demo.json' with { type: 'json' }

// Mock of the server's API. Contracts parse every request and reply, so a fixture cannot contain what the server does
// not send, and a screen cannot send what it refuses.

export interface Call<E extends Endpoint = Endpoint> {
  params: z.output<E['params']>
  /** As parsed by the contract. */
  query: z.output<E['query']>
  body: z.output<E['body']>
  /** As the browser sent them. */
  sent: { query: Record<string, string>; body: unknown; headers: Record<string, string | undefined> }
}

type Reply<E extends Endpoint> = z.input<E['reply']>
export type FakeAnswer<E extends Endpoint> = Reply<E> | ((call: Call<E>) => Reply<E> | Promise<Reply<E>>)
type Handler = (call: Call, reply: FastifyReply) => unknown

const ErrorBody = z.object({
  error: z.string(),
  code: z.enum([...(Object.keys(statusOf) as [keyof typeof statusOf]), 'internal']),
  requestId: z.string(),
  retryAfterS: z.number().optional(),
  fields: z.record(z.string(), z.string()).optional(),
})

const buildEndpointName = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) => `${method} ${path}`

const modules = readdirSync('shared', { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
)

/** All contracts of `shared/`, by method and path. */
export const contracts = new Map(
  (
    await Promise.all(
      modules.map((name): Promise<Record<string, unknown>> => import(/* @vite-ignore */ `../shared/${name}`)),
    )
  )
    .flatMap((module) => Object.values(module))
    .filter((value): value is Endpoint => typeof value === 'object' && value !== null && 'reply' in value)
    .map((endpoint) => [buildEndpointName(endpoint), endpoint]),
)

/** A copy of the recorded demo reply, parsed by the contract. Throws if nothing was recorded. */
export function fixture<E extends Endpoint>(endpoint: E): Reply<E> {
  const recorded = (demo.replies as Record<string, unknown>)[buildEndpointName(endpoint)]
  if (recorded === undefined)
    throw new Error(`screens/fixtures/demo.json has no reply to ${buildEndpointName(endpoint)}`)
  return checkReply(endpoint, structuredClone(recorded)) as Reply<E>
}

/** Throws unless the contract keeps every field of the reply: an unknown field would never arrive. */
function checkReply(endpoint: Endpoint, reply: unknown): unknown {
  const parsed = endpoint.reply.safeParse(reply)
  if (!parsed.success) throw new Error(`fixture of ${buildEndpointName(endpoint)}: ${z.prettifyError(parsed.error)}`)
  const asSent = JSON.parse(JSON.stringify(reply))
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(parsed.data)), asSent))
    throw new Error(`fixture of ${buildEndpointName(endpoint)} has fields that its contract does not have`)
  return reply
}

/** Replies of one test file, and the browser's requests. */
export class Api {
  /** Errors raised where no test can throw; reported when the test ends. */
  faults: string[] = []
  /** Requests held until released. */
  waiting = 0
  #handlers = new Map<string, Handler>()
  #calls = new Map<string, Call[]>()
  /** Endpoints set to fail: requests to them may be invalid. */
  #refused = new Set<string>()
  /** Releases requests a failed test still holds, so later tests do not wait. */
  #held: ((isOver: boolean) => void)[] = []

  /** Resets to the recorded demo replies. */
  reset(): void {
    this.#handlers.clear()
    this.#refused.clear()
    this.#calls.clear()
    this.faults = []
    for (const end of this.#held.splice(0)) end(true)
  }

  answer<E extends Endpoint>(endpoint: E, answer: FakeAnswer<NoInfer<E>>): void {
    this.#refused.delete(buildEndpointName(endpoint))
    this.#handlers.set(buildEndpointName(endpoint), async (call) => {
      const reply =
        typeof answer === 'function' ? await (answer as (call: Call<E>) => Reply<E>)(call as Call<E>) : answer
      return checkReply(endpoint, reply)
    })
  }

  /** The recorded reply with changes. */
  alter<E extends Endpoint>(endpoint: E, change: (reply: Reply<NoInfer<E>>) => Reply<NoInfer<E>>): void {
    this.answer(endpoint, () => change(fixture(endpoint)))
  }

  /** Refuses with an error in the server's format. */
  fail(endpoint: Endpoint, status: number, error: Partial<ErrorReply> = {}): void {
    const body = ErrorBody.parse({
      error: 'Please try again.',
      code: chooseErrorCode(status),
      requestId: 'test',
      ...error,
    })
    this.raw(endpoint, status, body)
  }

  /** Any unchecked reply: what a proxy or a broken server returns. */
  raw(endpoint: Endpoint, status: number, body: unknown): void {
    this.#refused.add(buildEndpointName(endpoint))
    this.#handlers.set(buildEndpointName(endpoint), (_call, reply) => reply.code(status).send(body))
  }

  /** Drops the connection, as if the server were down. */
  cut(endpoint: Endpoint): void {
    this.#refused.add(buildEndpointName(endpoint))
    this.#handlers.set(buildEndpointName(endpoint), (_call, reply) => {
      reply.hijack()
      reply.raw.destroy()
    })
  }

  /** Delays the regular reply until `release`. */
  hold(endpoint: Endpoint): { release: () => void } {
    const held = this.#handlers.get(buildEndpointName(endpoint))
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#held.push(resolve)
    this.#handlers.set(buildEndpointName(endpoint), async (call, reply) => {
      // The test is over and its page closed.
      if (await promise) return reply.code(503).send()
      return held ? held(call, reply) : fixture(endpoint)
    })
    return { release: () => resolve(false) }
  }

  /** Requests to this endpoint, in order. */
  calls<E extends Endpoint>(endpoint: E): Call<E>[] {
    return (this.#calls.get(buildEndpointName(endpoint)) ?? []) as Call<E>[]
  }

  /** Serves every contract. */
  serve(app: FastifyInstance): void {
    app.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
      done(null, body === '' ? undefined : JSON.parse(body as string))
    })
    for (const endpoint of contracts.values()) {
      app.route({
        method: endpoint.method,
        url: endpoint.path,
        exposeHeadRoute: false,
        handler: (request, reply) => this.#handle(endpoint, request, reply),
      })
    }
  }

  async #handle(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const name = buildEndpointName(endpoint)
    this.waiting += 1
    try {
      const isRefused = this.#refused.has(name)
      const call = readCall(endpoint, request, isRefused)
      this.#calls.set(name, [...(this.#calls.get(name) ?? []), call])
      const handler = this.#handlers.get(name)
      const body = handler ? await handler(call, reply) : fixture(endpoint)
      return endpoint.fileType ? reply.type(endpoint.fileType).send(body) : body
    } catch (error) {
      this.faults.push((error as Error).message)
      return reply.code(501).send({ error: String(error), code: 'internal', requestId: 'test' })
    } finally {
      this.waiting -= 1
    }
  }
}

function readCall(endpoint: Endpoint, request: FastifyRequest, isRefused: boolean): Call {
  const read = (what: string, schema: z.ZodType, value: unknown) => {
    if (isRefused) return value as never
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data as never
    throw new Error(
      `the browser sent a ${what} that ${buildEndpointName(endpoint)} refuses: ${z.prettifyError(parsed.error)}`,
    )
  }
  const { params, query, body, headers } = request
  return {
    params: read('path', endpoint.params, params),
    query: read('query', endpoint.query, query),
    body: read('body', endpoint.body, body ?? {}),
    sent: { query: query as Record<string, string>, body, headers: headers as Record<string, string> },
  }
}

const chooseErrorCode = (status: number) =>
  Object.entries(statusOf).find(([, known]) => known === status)?.[0] ?? ('internal' as const)
