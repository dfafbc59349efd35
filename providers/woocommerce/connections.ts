// Connection faults for tests: unavailable, slow, or lost responses. `which` matches "METHOD /path?query".
import type { FastifyInstance, FastifyRequest } from 'fastify'

export type Connections = {
  /** Closes the connection without processing the request. */
  refuse: (which?: RegExp) => void
  /** Holds requests until `restore()`, then processes them. */
  hold: (which?: RegExp) => void
  delay: (ms: number, which?: RegExp) => void
  /** Number of requests on hold. */
  waiting: () => number
  /** Processes the request, then closes the connection without a response. */
  loseAnswers: (which?: RegExp) => void
  /** Ends the fault. */
  restore: () => void
}
type Fault = { kind: 'refuse' | 'loseAnswers' | 'wait'; which: RegExp; wait: () => Promise<unknown> }

export function createConnectionFaults(app: FastifyInstance): Connections {
  let trouble: Fault | null = null
  let release: () => void = () => undefined
  let waiting = 0
  const meets = (request: FastifyRequest) =>
    trouble?.which.test(`${request.method} ${request.raw.url ?? ''}`) ? trouble : null
  app.addHook('onRequest', async (request, reply) => {
    const customer = meets(request)
    if (customer?.kind === 'wait') {
      waiting += 1
      await customer.wait()
      waiting -= 1
    }
    if (customer?.kind !== 'refuse') return
    reply.hijack()
    request.raw.socket.destroy()
  })
  app.addHook('onSend', async (request, reply) => {
    if (meets(request)?.kind !== 'loseAnswers') return
    reply.hijack()
    request.raw.socket.destroy()
  })
  const begin = (kind: Fault['kind'], which = /^/, wait: Fault['wait'] = async () => undefined) => {
    release()
    trouble = { kind, which, wait }
  }
  return {
    refuse: (which) => begin('refuse', which),
    loseAnswers: (which) => begin('loseAnswers', which),
    delay: (ms, which) => begin('wait', which, () => new Promise((resolve) => setTimeout(resolve, ms))),
    waiting: () => waiting,
    hold: (which) => {
      const gate = Promise.withResolvers<void>()
      begin('wait', which, () => gate.promise)
      release = gate.resolve
    },
    restore: () => {
      release()
      trouble = null
    },
  }
}
